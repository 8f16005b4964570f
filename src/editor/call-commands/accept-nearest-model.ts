import type { Recording } from "../../core/cassette/recording.ts";
import { wrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import type { Difference, Miss, TestRef } from "../../core/call/call.ts";
import { recordingOfMiss } from "../../core/view/miss.ts";

interface Acceptance {
  readonly miss: Miss;
  readonly test?: TestRef | undefined;
  /** The nearest recording, whose reply is taken. */
  readonly nearest: Recording;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** A recording that answers a missed call with the nearest recording's reply, byte for byte. It is not saved. */
export function acceptedNearest({ miss, test, nearest, recordedAt }: Acceptance): Recording {
  return recordingOfMiss(miss, nearest.reply, { recordedAt, ...(test && { test: withoutExecution(test) }) });
}

/** Where the call is asked in another way, a client could not read the reply: a stream, say, where it expects none. */
const WAYS = new Set(["/stream", "path", "method", "query", "header"]);

/** Why the nearest's reply must not answer this call; undefined where it may. */
export function cannotAccept(differences: readonly Difference[]): TapedeckError | undefined {
  const way = differences.find(({ at }) => WAYS.has(at));
  return way === undefined
    ? undefined
    : wrongUsage(
        `The nearest recording was asked for in another way (${way.text}), so its reply does not fit this call.`,
        "Record the call, or write the reply by hand.",
      );
}

/** An execution is over when a file is written. */
function withoutExecution(test: TestRef): TestRef {
  const { execution: _, ...rest } = test;
  return rest;
}
