import { labelAnswer } from "../conversation/turn-facts.ts";
import type { ReplyView } from "../describe.ts";
import { isReplyId, readReplyId } from "../../match/origins/values.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { RecordedFacts, RecordedTiming, RunCallTokens } from "./run-record.ts";

/** Duration of a call in milliseconds, measured by the machine that recorded it. */
export interface NotedTiming {
  readonly ms: number;
  readonly firstByteMs?: number;
}

/**
 * Returns the facts of a recording. Its file contains only the pauses of a stream; `noted` also contains the time to
 * the first byte.
 */
export function readRecordedFacts(
  { recording, projection, cost }: ReplyView,
  noted?: NotedTiming,
): RecordedFacts {
  const recorded = timingOf(recording.reply.waitsMs ?? [], noted);
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached } = projection.usage ?? {};
  const tokens: RunCallTokens = {
    ...pickDefined({ input, output }),
    ...(cached !== undefined && cached > 0 && { cached }),
  };
  const values = recording.request.values?.filter(isReplyId) ?? [];
  const continues = [...new Set(values.flatMap((value) => readReplyId(value)?.last ?? []))];
  return {
    ...(projection.messages.some(({ parts }) => parts.length > 0) && {
      answered: labelAnswer(projection.messages),
    }),
    ...(Object.keys(tokens).length > 0 && { tokens }),
    ...(typeof cost === "number" && { costUsd: cost }),
    ...pickDefined({ recorded }),
    ...(continues.length > 0 && { continues }),
  };
}

function timingOf(waitsMs: readonly number[], noted: NotedTiming | undefined): RecordedTiming | undefined {
  if (waitsMs.length === 0) return noted && { ...noted };
  const stream = waitsMs.reduce((sum, wait) => sum + wait, 0);
  const [first = 0] = waitsMs;
  const firstByteMs = noted?.firstByteMs;
  // Waits count from the head of the response, and noted times from the request.
  const begun = firstByteMs === undefined ? 0 : Math.max(0, firstByteMs - first);
  const ms = noted === undefined ? stream : Math.max(noted.ms, begun + stream);
  return {
    ms,
    firstByteMs: firstByteMs ?? first,
    ...(firstByteMs === undefined && { isPartial: true }),
  };
}
