import type { CallEvent, Difference, Miss, TestRef } from "../../core/call.ts";
import { differencesText } from "../../core/miss.ts";
import { keyDigits } from "../../core/view/names.ts";
import { visibleJson, visibleLine } from "../../core/view/visible.ts";

/** The JSON line of a call. The first members are fixed; later ones only add. */
export function callLine(event: CallEvent): string {
  const {
    provider,
    operation,
    outcome,
    key,
    entry,
    model,
    label,
    test,
    reason,
    hint,
    failsRun,
    upstreamStatus,
    miss,
  } = event;
  return visibleJson({
    event: "call",
    provider,
    operation,
    outcome,
    key,
    entry,
    ms: Math.round(event.ms * 100) / 100,
    model,
    label,
    test: test === undefined ? undefined : testSummary(test),
    reason,
    hint,
    failsRun,
    upstreamStatus,
    charge: event.charge,
    spent: event.spent,
    miss: miss === undefined ? undefined : missSummary(miss),
  });
}

export interface MissSummary {
  readonly message: string;
  readonly nearest: string | null;
  readonly differences: readonly Difference[];
}

/** What of a miss goes into JSON for programs: not the request, which may be large. */
export function missSummary({ message, nearest }: Pick<Miss, "message" | "nearest">): MissSummary {
  return { message, nearest: nearest?.entry ?? null, differences: nearest?.differences ?? [] };
}

/** What keeps a missed call from the nearest recording, on one line: `temperature 0.2 → 0.7 (nearest 3f9a2c41)`. */
export function missText({ nearest }: Pick<Miss, "nearest">): string {
  if (nearest === undefined) return "nothing of this kind is recorded";
  const { differences, departure, key } = nearest;
  const first = departure === undefined ? "" : `; first at ${visibleLine(departure.text)}`;
  return `${visibleLine(differencesText(differences))} (nearest ${keyDigits(key)})${first}`;
}

/** A test in JSON for programs: what names it and where it stands. */
export function testSummary({ file, name, line }: TestRef): Pick<TestRef, "file" | "name" | "line"> {
  return { file, name, ...(line !== undefined && { line }) };
}
