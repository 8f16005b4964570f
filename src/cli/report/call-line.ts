import type { CallEvent, Difference, TestRef } from "../../core/call/call.ts";
import type { MissOfFinding } from "../../core/view/finding.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** The JSON line of a call. The first members are fixed; later ones only add. */
export function formatCallLine(event: CallEvent): string {
  const { provider, operation, outcome, key, entry, model, label, test, reason, hint } = event;
  const { restored, failsRun, madeUp, fault, upstreamStatus, charge, spent, miss } = event;
  const call = { provider, operation, outcome, key, entry };
  return writeVisibleJson({
    event: "call",
    ...call,
    ms: Math.round(event.ms * 100) / 100,
    model,
    label,
    test: test && summarizeTest(test),
    reason,
    hint,
    restored,
    failsRun,
    madeUp: madeUp?.by,
    fault,
    upstreamStatus,
    charge,
    spent,
    miss: miss && summarizeMiss(miss),
  });
}

export interface MissSummary {
  readonly message: string;
  readonly nearest: string | null;
  readonly differences: readonly Difference[];
  /** Values of the request by text, with their origins. */
  readonly origins: Readonly<Record<string, string>>;
}

/** Returns the fields of a miss for JSON output, without the request, which may be large. */
export function summarizeMiss({
  message,
  nearest,
  request,
}: Pick<MissOfFinding, "message" | "nearest" | "request">): MissSummary {
  const origins = Object.fromEntries((request?.values ?? []).map(({ text, origin }) => [text, origin]));
  return { message, nearest: nearest?.entry ?? null, differences: nearest?.differences ?? [], origins };
}

export function summarizeTest({ file, name, line }: TestRef): Pick<TestRef, "file" | "name" | "line"> {
  return { file, name, ...pickDefined({ line }) };
}
