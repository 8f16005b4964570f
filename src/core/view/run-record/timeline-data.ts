import type { RunRecord, RunTest } from "./run-record.ts";

/** What a timeline shows. Plain: it comes as a message, or stands in a report. */
export interface TimelineData {
  /** Absent where no run is known. */
  readonly run?: RunRecord;
  /** The run beside it. */
  readonly second?: RunRecord;
  /** By test as `testId` names it: what departs, in lines. */
  readonly departures?: Readonly<Record<string, readonly string[]>>;
  /** More calls of the run may come. */
  readonly isLive: boolean;
  /** Runs that may be shown instead, newest first. */
  readonly choices: readonly RunChoice[];
  /** What the timeline was opened for. */
  readonly test?: RunTest;
}

export interface RunChoice {
  readonly id: string;
  readonly title: string;
}

/** What a timeline asks of the editor. */
export type TimelineRequest =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly entry: string }
  | { readonly type: "openMissing"; readonly key: string }
  | { readonly type: "goToTest"; readonly test: RunTest }
  | { readonly type: "show"; readonly run: string }
  /** Without a run: it is shown alone again. */
  | { readonly type: "compare"; readonly run: string };

/** A message of a page, where it is one of these. */
export function timelineRequestFrom(message: unknown): TimelineRequest | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, entry, key, run, test } = message as Readonly<Record<string, unknown>>;
  if (type === "ready") return { type };
  if (type === "open" && typeof entry === "string") return { type, entry };
  if (type === "openMissing" && typeof key === "string") return { type, key };
  if ((type === "show" || type === "compare") && typeof run === "string") return { type, run };
  if (type === "goToTest" && isTest(test)) return { type, test };
  return undefined;
}

function isTest(value: unknown): value is RunTest {
  if (typeof value !== "object" || value === null) return false;
  const { file, name, line } = value as Readonly<Record<string, unknown>>;
  const isLine = line === undefined || typeof line === "number";
  return (
    typeof file === "string" && isLine && Array.isArray(name) && name.every((one) => typeof one === "string")
  );
}
