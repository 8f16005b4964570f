import type { RunCall } from "./run-record.ts";
import { getTestId } from "../../call/test-names.ts";

/** The times that a timeline shows: those of the run, or those of the calls when they were recorded. */
export type WhichTime = "run" | "recorded";

/** The times of a call, in milliseconds from the run's start. */
export interface CallSpan {
  readonly start: number;
  readonly end: number;
  readonly firstByte?: number;
  /** Duration from the end of the test's earlier calls to this call. */
  readonly pause?: number;
  /** Whether the requested time is known; otherwise the time of the run is used. */
  readonly isKnown: boolean;
}

/** Minimum duration of a pause between two calls of a test. */
const SHORTEST_PAUSE_MS = 1;

/**
 * Calculates the times of calls, which are in order of arrival. In recorded time, each call takes as long as it took
 * when it was recorded. Calls that waited for others in the run still wait for them, and pauses have the length that
 * they had in the run.
 */
export function computeSpans(calls: readonly RunCall[], which: WhichTime): readonly CallSpan[] {
  const spans =
    which === "run"
      ? calls.map((call) => ({ ...createSpan(call, call.at), isKnown: true }))
      : recordedSpans(calls);
  return withPauses(calls, spans);
}

type Bare = Omit<CallSpan, "pause">;

function recordedSpans(calls: readonly RunCall[]): readonly Bare[] {
  /** Finished calls by their end in the run. `until` is the latest end of all calls so far, in recorded time. */
  const over: { readonly end: number; readonly until: number }[] = [];
  const running: { readonly end: number; readonly until: number }[] = [];
  return calls.map((call) => {
    running.sort((a, b) => a.end - b.end);
    while (running[0] !== undefined && running[0].end <= call.at) {
      const next = running.shift();
      if (next) over.push({ end: next.end, until: Math.max(next.until, over.at(-1)?.until ?? 0) });
    }
    const before = over.at(-1);
    const start = before === undefined ? call.at : before.until + (call.at - before.end);
    const span = recordedSpan(call, start);
    running.push({ end: call.at + call.ms, until: span.end });
    return span;
  });
}

function recordedSpan({ ms, firstByteMs, recorded }: RunCall, start: number): Bare {
  // A call that was sent upstream without being recorded has its real duration in this run.
  const isKnown = recorded !== undefined || firstByteMs !== undefined;
  return { ...createSpan(recorded ?? { ms, firstByteMs }, start), isKnown };
}

type Durations = { readonly ms: number; readonly firstByteMs?: number | undefined };

const createSpan = ({ ms, firstByteMs: first }: Durations, start: number): Omit<Bare, "isKnown"> => ({
  start,
  end: start + ms,
  ...(first !== undefined && { firstByte: start + Math.min(first, ms) }),
});

function withPauses(calls: readonly RunCall[], spans: readonly Bare[]): readonly CallSpan[] {
  const ends = new Map<string, number>();
  return spans.map((span, index) => {
    const id = getTestId(calls[index]?.test);
    const before = ends.get(id);
    ends.set(id, Math.max(before ?? 0, span.end));
    const pause = before === undefined ? 0 : span.start - before;
    return pause >= SHORTEST_PAUSE_MS ? { ...span, pause } : span;
  });
}
