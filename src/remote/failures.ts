import { isTapedeckError, tapedeckError, type TapedeckError } from "../core/errors.ts";

/**
 * What went wrong with a remote, for whoever decides what to do next:
 * `wrong` – address, rights, keys or clock: nothing mends it but a person;
 * `down` – not reached, cut off, or an answer that makes no sense;
 * `slow` – no answer in time;
 * `full` – it takes no more;
 * `object` – this one object cannot be read or written, others may.
 */
export type RemoteFault = "wrong" | "down" | "slow" | "full" | "object";

/** `what` ends the sentence "The remote … ": "is full." */
export function remoteFailure(
  fault: RemoteFault,
  name: string,
  what: string,
  { hint, cause }: { readonly hint: string; readonly cause?: unknown },
): TapedeckError {
  const error = tapedeckError("tapedeck_remote", `The remote ${name} ${what}`, { hint, cause });
  return Object.assign(error, { remoteFault: fault });
}

/** What a failure of a remote's method means; undefined for any other error. */
export function faultOf(error: unknown): RemoteFault | undefined {
  if (!isTapedeckError(error) || !("remoteFault" in error)) return undefined;
  return error.remoteFault as RemoteFault;
}

const GOES_ON = "What is local is used meanwhile, and nothing local was lost.";

export function tooSlow(name: string, waitedMs: number): TapedeckError {
  return remoteFailure("slow", name, `did not answer within ${Math.round(waitedMs)} ms.`, {
    hint: `${GOES_ON} Check the network and the server, or name another remote.`,
  });
}

/** `detail` says how it was not reached, e.g. a system's text. */
export function notReached(name: string, detail: string, cause?: unknown): TapedeckError {
  return remoteFailure("down", name, `could not be reached: ${detail.replace(/[\s.:]+$/, "")}.`, {
    hint: `${GOES_ON} Check the address, the network and the server.`,
    cause,
  });
}

export function isFull(name: string, detail: string, cause?: unknown): TapedeckError {
  return remoteFailure("full", name, `takes no more: ${detail.replace(/[\s.]+$/, "")}.`, {
    hint: `${GOES_ON} Free space there, or raise its limit, and push again.`,
    cause,
  });
}

export function tooLarge(name: string, object: string): TapedeckError {
  return remoteFailure("object", name, `has an object larger than 256 MiB: ${object}.`, {
    hint: "It was not read. Remove it there; no recording is that large.",
  });
}

/** An object that cannot be had, for a reason of its own. `what` ends the sentence "The remote …". */
export function objectFailure(name: string, what: string, cause?: unknown): TapedeckError {
  return remoteFailure("object", name, what, {
    hint: "Others are not affected. Remove it there and push again where it is needed.",
    cause,
  });
}

export function readOnly(name: string, why: string | undefined): TapedeckError {
  return remoteFailure("wrong", name, `was opened for reading only${why === undefined ? "" : `: ${why}`}.`, {
    hint: "Open it for writing, with credentials that may write; nothing was sent.",
  });
}
