import type { RunRecord, RunTest } from "./run-record.ts";

/** Data of a timeline. Contains only JSON values, because it is sent as a message or embedded in a report. */
export interface TimelineData {
  /** Absent if there are no runs. */
  readonly run?: RunRecord;
  /** Whether the run can still make more calls. */
  readonly isLive: boolean;
  /** Other runs that can be shown, newest first. */
  readonly choices: readonly RunChoice[];
  /** The test for which the timeline was opened. */
  readonly test?: RunTest;
}

export interface RunChoice {
  readonly id: string;
  readonly title: string;
}

/** A request of the timeline to the editor. */
export type TimelineRequest =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly entry: string }
  | { readonly type: "openMissing"; readonly key: string }
  | { readonly type: "goToTest"; readonly test: RunTest }
  | { readonly type: "show"; readonly run: string };

/** Returns the page's message as a timeline request, or undefined if it is invalid. */
export function readTimelineRequest(message: unknown): TimelineRequest | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, entry, key, run, test } = message as Readonly<Record<string, unknown>>;
  if (type === "ready") return { type };
  if (type === "open" && typeof entry === "string") return { type, entry };
  if (type === "openMissing" && typeof key === "string") return { type, key };
  if (type === "show" && typeof run === "string") return { type, run };
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
