import { localize, joinSentences } from "../core/base/localize.ts";
import { setMaxListeners } from "node:events";
import { isTapedeckError, createTapedeckError, type TapedeckError } from "../core/base/errors.ts";
import { describeThrown } from "../core/base/thrown-text.ts";
import { getErrorCode } from "../storage/folder/failures.ts";

/**
 * What a failure of a team cache means for the next operation:
 * `wrong`: address, rights, or credentials, which only a person can correct;
 * `down`: not reached, no answer in time, or no room left, which may be over later;
 * `object`: this one object cannot be read or written.
 */
export type RemoteFault = "wrong" | "down" | "object";

interface Details {
  readonly hint: string;
  readonly cause?: unknown;
}

/** `what` ends the sentence "The team cache … ". */
export function createRemoteFailure(
  fault: RemoteFault,
  name: string,
  what: string,
  { hint, cause }: Details,
): TapedeckError {
  const error = createTapedeckError("tapedeck_remote", localize("The team cache {0} {1}", name, what), {
    hint,
    cause,
  });
  return Object.assign(error, { remoteFault: fault });
}

/** The fault of a failure of an `ObjectStore`; undefined for any other error. */
export function readOfferedFault(error: unknown): RemoteFault | undefined {
  if (!isTapedeckError(error) || !("remoteFault" in error)) return undefined;
  return error.remoteFault as RemoteFault;
}

const goesOn = (): string => localize("Runs continue with the local recordings, and no local data was lost.");

/** `detail` gives the reason, such as the operating system's error text. */
export function createNotReachedError(name: string, detail: string, cause?: unknown): TapedeckError {
  const what = localize("could not be reached: {0}.", detail.replace(/[\s.:]+$/, ""));
  return createRemoteFailure("down", name, what, {
    hint: joinSentences(goesOn(), localize("Check the address, the network, and the server.")),
    cause,
  });
}

export function createAccessDeniedError(name: string, detail: string, cause?: unknown): TapedeckError {
  const what = localize("refused access: {0}.", detail.replace(/[\s.:]+$/, ""));
  return createRemoteFailure("wrong", name, what, {
    hint: localize("Check its credentials and permissions."),
    cause,
  });
}

/** A failure of the network in the terms of a team cache; ours stay as they are. */
export function convertNetworkFailure(name: string, error: unknown): unknown {
  if (isTapedeckError(error)) return error;
  const code = getErrorCode(error) ?? "";
  const text = errorText(error);
  if (/CERT|SELF_SIGNED|UNABLE_TO|INVALID_CA/.test(code))
    return createRemoteFailure(
      "wrong",
      name,
      localize("has a certificate that this machine does not trust: {0}.", text),
      {
        hint: localize(
          "Correct the certificate, or set NODE_EXTRA_CA_CERTS to the file of its certificate authority.",
        ),
        cause: error,
      },
    );
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return createRemoteFailure("wrong", name, localize("does not use TLS at this port."), {
      hint: localize(
        "Use redis:// or http:// for a server without TLS, rediss:// or https:// for one with TLS.",
      ),
      cause: error,
    });
  return createNotReachedError(name, text, error);
}

/** Returns the text of an error. If several addresses were tried, the error has no message: joins theirs. */
function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(errorText).join("; ");
  return describeThrown(error);
}

interface Limit {
  readonly name: string;
  readonly limitMs: number;
  readonly outer: AbortSignal | undefined;
}

/** Ends the work with a failure after `limitMs`, and with the reason of `outer` once that is aborted. */
export async function limitTime<T>(
  { name, limitMs, outer }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = (): void =>
    controller.abort(createNotReachedError(name, localize("no response within {0} ms", limitMs)));
  // Answers that arrived while this process was busy are read before it gives up.
  const timer = setTimeout(() => void setImmediate(late), limitMs);
  const leave = (): void => controller.abort(outer?.reason);
  if (outer !== undefined) setMaxListeners(0, outer); // many operations of a pull share one
  outer?.addEventListener("abort", leave, { once: true });
  if (outer?.aborted === true) leave();
  const { signal } = controller;
  try {
    signal.throwIfAborted();
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    return await Promise.race([work(signal), ended]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", leave);
  }
}

/** Longer names would not fit every engine: S3 has 1,024 bytes with the prefix, file systems 255 for a segment. */
const MOST_CHARACTERS = 700;
const NAME = /^[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199}(?:\/[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199})*$/;

/** Whether every engine can have an object of this name: ASCII segments, none empty or beginning with a dot. */
export const isObjectName = (name: string): boolean => name.length <= MOST_CHARACTERS && NAME.test(name);
