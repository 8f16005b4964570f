import { answerLabel } from "../conversation/turn-facts.ts";
import type { ReplyView } from "../describe.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { RecordedFacts, RecordedTiming, RunCallTokens } from "./run-record.ts";

/** How long a recording took when it was made, as the machine that made it noted; in milliseconds. */
export interface NotedTiming {
  readonly ms: number;
  readonly firstByteMs?: number;
}

/** So many marks show a rhythm; the others say nothing more. */
const MARKS = 48;

/** The facts of a recording. A file tells of a stream's pauses alone; `noted` tells of the way there as well. */
export function factsOfRecording(
  { recording, projection, cost }: ReplyView,
  noted?: NotedTiming,
): RecordedFacts {
  const recorded = timingOf(recording.reply.waitsMs ?? [], noted);
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached } = projection.usage ?? {};
  const tokens: RunCallTokens = {
    ...pickDefined({ input, output }),
    ...(cached !== undefined && cached > 0 && { cached }),
  };
  return {
    ...(projection.messages.some(({ parts }) => parts.length > 0) && {
      answered: answerLabel(projection.messages),
    }),
    ...(Object.keys(tokens).length > 0 && { tokens }),
    ...(typeof cost === "number" && { costUsd: cost }),
    ...pickDefined({ recorded }),
  };
}

function timingOf(waitsMs: readonly number[], noted: NotedTiming | undefined): RecordedTiming | undefined {
  if (waitsMs.length === 0) return noted && { ...noted };
  const stream = waitsMs.reduce((sum, wait) => sum + wait, 0);
  const [first = 0] = waitsMs;
  const firstByteMs = noted?.firstByteMs;
  // The waits begin with the head of the answer, the notes with the request.
  const begun = firstByteMs === undefined ? 0 : Math.max(0, firstByteMs - first);
  const ms = noted === undefined ? stream : Math.max(noted.ms, begun + stream);
  const marks = marksOf(waitsMs, begun);
  return {
    ms,
    firstByteMs: firstByteMs ?? first,
    ...(marks.length > 1 && { marks }),
    ...(firstByteMs === undefined && { isPartial: true }),
  };
}

function marksOf(waitsMs: readonly number[], begun: number): readonly number[] {
  let at = begun;
  const times = waitsMs.map((wait) => Math.round((at += wait)));
  if (times.length <= MARKS) return times;
  return Array.from({ length: MARKS }, (_, index) => {
    const place = Math.round((index * (times.length - 1)) / (MARKS - 1));
    return times[place] ?? 0;
  });
}
