import type { Protocol } from "../protocol/protocol.ts";
import { KEPT_LIMIT_BYTES, type Tape } from "./tape.ts";

/** A reply that has ended, as far as it counts for whether it may be recorded. */
export interface EndedReply {
  readonly provider: string;
  readonly protocol: Protocol;
  readonly status: number;
  readonly streamed: boolean;
  readonly tape: Pick<Tape, "body" | "failed" | "fault" | "over" | "sizeBytes" | "terminal">;
  /** Whether its connection broke off. */
  readonly cutOff: boolean;
  /** Whether the project records errors, too. */
  readonly recordsErrors?: boolean;
}

/**
 * Whether clients or people send a call again that was answered with this status: a refused key is corrected by a
 * person, and SDKs retry the rest.
 */
export function isSentAgain(status: number): boolean {
  return status >= 500 || SENT_AGAIN.has(status);
}

const SENT_AGAIN: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 425, 429]);

/** Why an answer must not be recorded, as a sentence without its full stop; undefined where it is whole. */
export function whyNotWhole({
  provider,
  protocol,
  status,
  streamed,
  tape,
  cutOff,
  recordsErrors = false,
}: EndedReply): string | undefined {
  const isError = status >= 400 && status < 600;
  if (!Number.isInteger(status) || status < 200 || (status >= 400 && !(isError && recordsErrors)))
    return `${provider} answered with status ${status}`;
  if (cutOff && !tape.over) return `The connection to ${provider} broke off within the answer`;
  if (tape.sizeBytes > KEPT_LIMIT_BYTES) return "The answer is larger than 256 MiB";
  // Redirects, 304 and errors are whole as they are: none has the form of the operation.
  if (status >= 300) return undefined;
  if (tape.fault !== undefined) return `The stream of ${provider} is broken (${tape.fault})`;
  if (tape.failed) return `${provider} reported an error inside the stream`;
  // Servers leave the terminal event out, so a stream is also whole with its finish and a clean end.
  if (streamed && protocol.stream !== undefined)
    return tape.terminal || (!cutOff && protocol.stream.isFinished?.(tape.body()) === true)
      ? undefined
      : "The stream ended without its terminal event";
  const body = tape.body();
  return (
    protocol.unfinished?.(body) ??
    (protocol.isWhole(body) ? undefined : `The answer is not a whole ${protocol.operation} reply`)
  );
}
