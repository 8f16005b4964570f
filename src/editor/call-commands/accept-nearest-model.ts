import { localize } from "../../core/base/localize.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { createWrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import type { Difference, Miss, TestRef } from "../../core/call/call.ts";
import { describeRecordingOfMiss } from "../../core/view/miss.ts";

interface Acceptance {
  readonly miss: Miss;
  readonly test?: TestRef | undefined;
  /** The nearest recording, whose reply is taken. */
  readonly nearest: Recording;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** Creates a recording that answers a missed call with the nearest recording's reply, byte for byte. Does not save it. */
export function createAcceptedNearest({ miss, test, nearest, recordedAt }: Acceptance): Recording {
  return describeRecordingOfMiss(miss, nearest.reply, {
    recordedAt,
    ...(test && { test: withoutExecution(test) }),
  });
}

/** Differences after which a client could not read the reply, for example a stream that it does not expect. */
const WAYS = new Set(["/stream", "path", "method", "query", "header"]);

/** Returns the reason why the nearest reply must not answer this call; undefined if it can. */
export function explainCannotAccept(differences: readonly Difference[]): TapedeckError | undefined {
  const way = differences.find(({ at }) => WAYS.has(at));
  return way === undefined
    ? undefined
    : createWrongUsage(
        localize(
          "The nearest recording's request differs ({0}), so its reply does not fit this call.",
          way.text,
        ),
        localize("Record the call, or write the reply."),
      );
}

/** Removes the execution, which has ended when the file is written. */
function withoutExecution(test: TestRef): TestRef {
  const { execution: _, ...rest } = test;
  return rest;
}
