import type { RunCall } from "./run-record.ts";
import { testId } from "../../call/test-names.ts";

/** Which time a picture shows: that of the run, or that which its answers took when they were recorded. */
export type WhichTime = "run" | "recorded";

/** Where a call stands in time; all in milliseconds from the run's start. */
export interface CallSpan {
  readonly start: number;
  readonly end: number;
  readonly firstByte?: number;
  /** When events of its stream came. */
  readonly marks: readonly number[];
  /** How long its test did something else before: from the end of the calls before it. */
  readonly pause?: number;
  /** Whether the asked-for time is known of it; else the time of the run stands in. */
  readonly isKnown: boolean;
}

/** So long a pause between two calls of a test has to be to be one. */
const SHORTEST_PAUSE_MS = 1;

/**
 * Places calls in time. In recorded time each takes as long as its recording did; what waited for others in the run
 * waits for them here, and the pauses between are those of the run. `calls`: in the order of their arrival.
 */
export function spansOf(calls: readonly RunCall[], which: WhichTime): readonly CallSpan[] {
  const spans = which === "run" ? calls.map(runSpan) : recordedSpans(calls);
  return withPauses(calls, spans);
}

type Bare = Omit<CallSpan, "pause">;

function runSpan({ at, ms, firstByteMs, outcome, recorded }: RunCall): Bare {
  const isStream = outcome === "recorded" && recorded?.isPartial !== true;
  return {
    start: at,
    end: at + ms,
    ...(firstByteMs !== undefined && { firstByte: at + Math.min(firstByteMs, ms) }),
    marks: isStream ? (recorded?.marks ?? []).map((mark) => at + Math.min(mark, ms)) : [],
    isKnown: true,
  };
}

function recordedSpans(calls: readonly RunCall[]): readonly Bare[] {
  /** Those that are over, by their end in the run; `until` is the latest end of all up to there in recorded time. */
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
  const took = recorded?.ms ?? ms;
  const first = recorded === undefined ? firstByteMs : recorded.firstByteMs;
  return {
    start,
    end: start + took,
    ...(first !== undefined && { firstByte: start + Math.min(first, took) }),
    marks: (recorded?.marks ?? []).map((mark) => start + mark),
    // What was never recorded took in this run what it takes.
    isKnown: recorded !== undefined || firstByteMs !== undefined,
  };
}

function withPauses(calls: readonly RunCall[], spans: readonly Bare[]): readonly CallSpan[] {
  const ends = new Map<string, number>();
  return spans.map((span, index) => {
    const id = testId(calls[index]?.test);
    const before = ends.get(id);
    ends.set(id, Math.max(before ?? 0, span.end));
    const pause = before === undefined ? 0 : span.start - before;
    return pause >= SHORTEST_PAUSE_MS ? { ...span, pause } : span;
  });
}
