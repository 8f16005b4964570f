import { visible } from "./visible.ts";
import { thrownText } from "./thrown-text.ts";

/**
 * The catalogue of failures: one factory each, with one line of facts and one of help.
 * Protocols render them, the server and the CLI map them, the editor shows them; nobody else words a failure.
 */

export type TapedeckErrorCode =
  | "tapedeck_miss"
  | "tapedeck_bad_request"
  | "tapedeck_too_large"
  | "tapedeck_refused"
  | "tapedeck_upstream"
  | "tapedeck_budget"
  | "tapedeck_cassette"
  | "tapedeck_remote"
  | "tapedeck_usage";

const STATUS: Record<TapedeckErrorCode, number> = {
  tapedeck_miss: 404,
  tapedeck_bad_request: 400,
  tapedeck_too_large: 413,
  tapedeck_refused: 403,
  tapedeck_upstream: 502,
  // Payment required: no SDK tries it again.
  tapedeck_budget: 402,
  tapedeck_cassette: 404,
  tapedeck_remote: 502,
  tapedeck_usage: 400,
};

/** What servers log of a client that closed its connection. */
export const CLIENT_LEFT = 499;

const MARKER = Symbol.for("llm-tapedeck.error");

/** A failure that is part of the product: `message` says what happened on what, `hint` what to do next. */
export interface TapedeckError extends Error {
  readonly code: TapedeckErrorCode;
  /** The HTTP status under which it reaches a client. */
  readonly status: number;
  readonly hint: string;
  /** Where in a file it is: 1-based line and column. */
  readonly position?: Position;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Tells our failures from bugs. Works across bundles, where `instanceof` would not. */
export function isTapedeckError(value: unknown): value is TapedeckError {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** For a promise that fails: what is made of a failure of ours. @throws whatever else it was */
export function whereOurs<T>(made: (failure: TapedeckError) => T): (error: unknown) => T {
  return (error) => {
    if (isTapedeckError(error)) return made(error);
    throw error;
  };
}

/** What `act` gives; where it fails with one of ours, what is made of that. @throws whatever else it fails with */
export function attempt<T, F>(act: () => T, failed: (failure: TapedeckError) => F): T | F {
  try {
    return act();
  } catch (error) {
    return whereOurs(failed)(error);
  }
}

interface Details {
  readonly hint: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly position?: Position;
}

/**
 * Makes a failure of the catalogue. Use a factory below; this is for those that live beside their subject. Names and
 * excerpts in it may be anybody's, and test runners print it as it is: nothing in it is invisible or steers a terminal.
 */
export function tapedeckError(code: TapedeckErrorCode, message: string, details: Details): TapedeckError {
  const { hint, status = STATUS[code], cause, position } = details;
  const error = new Error(visible(message), cause === undefined ? undefined : { cause });
  error.name = "TapedeckError";
  const shown = { hint: visible(hint), ...(position && { position }) };
  return Object.assign(error, { [MARKER]: true, code, status, ...shown });
}

/** Message and hint as one text, for whoever shows a failure to a person; the hint of several lines is one more. */
export function explain(error: unknown): string {
  if (isTapedeckError(error))
    return `${error.message}${error.message.includes("\n") ? "\n" : " "}${error.hint}`;
  return thrownText(error);
}

/** The request is not what its operation takes. `what` names the fault, e.g. "the body is not JSON: …". */
export function badRequest(what: string, hint: string, cause?: unknown): TapedeckError {
  return tapedeckError("tapedeck_bad_request", `Tapedeck cannot read this request: ${what}`, { hint, cause });
}

export function bodyTooLarge(limitBytes: number): TapedeckError {
  return tapedeckError(
    "tapedeck_too_large",
    `The request body is larger than ${limitBytes / 1_048_576} MiB.`,
    { hint: "Send a smaller request; larger ones cannot be recorded." },
  );
}

/** The guard did not let a request in. Names the rule and nothing of the request. */
export function refused(rule: string, hint: string, status: 403 | 404 | 503 = 403): TapedeckError {
  return tapedeckError("tapedeck_refused", `Tapedeck refused this request: ${rule}`, { hint, status });
}

export function unknownProvider(provider: string, known: readonly string[]): TapedeckError {
  return refused(
    `no provider is called "${provider}".`,
    `Known are ${known.join(", ")}. Give another one an address with --upstream ${provider}=https://… or the setting tapedeck.upstreams.`,
    404,
  );
}

export function upstreamUnreachable(provider: string, address: string, cause: unknown): TapedeckError {
  const detail =
    cause instanceof Error
      ? cause.cause instanceof Error
        ? cause.cause.message
        : cause.message
      : String(cause);
  // What comes from below may end in a full stop or a line break of its own.
  return tapedeckError(
    "tapedeck_upstream",
    `Tapedeck could not reach ${provider} at ${address}: ${detail.replace(/[\s.:]+$/, "")}.`,
    { hint: "Check the network and the address; nothing was recorded.", cause },
  );
}

/** Nobody waits for the answer any more; this is for whoever watches. */
export function clientLeft(
  when = "before the answer came",
  hint = "Give the client more time, and record again.",
): TapedeckError {
  const message = `The client left ${when}; nothing was recorded.`;
  return tapedeckError("tapedeck_upstream", message, { hint, status: CLIENT_LEFT });
}

export function noUpstream(provider: string): TapedeckError {
  return tapedeckError("tapedeck_refused", `Tapedeck has no address for ${provider}.`, {
    status: 404,
    hint: `Give it one with --upstream ${provider}=https://… or the setting tapedeck.upstreams.`,
  });
}

/** A recording that cannot be used: what is wrong and where. The file stays as it is. */
export function brokenRecording(
  entry: string,
  reason: string,
  position?: { line: number; column: number },
): TapedeckError {
  const where = position ? `${entry}:${position.line}:${position.column}` : entry;
  return tapedeckError("tapedeck_cassette", `The recording ${where} cannot be read: ${reason}`, {
    hint: "Correct the file, or delete it and record the call again. Nothing in it was changed.",
    ...(position && { position: { file: entry, ...position } }),
  });
}

export function cassetteFolderUnusable(dir: string, reason: string, cause?: unknown): TapedeckError {
  return tapedeckError("tapedeck_cassette", `The cassette folder ${dir} cannot be used: ${reason}`, {
    hint: "Name another one with --dir or the setting tapedeck.folder, or make this one writable.",
    cause,
  });
}

/** `what` begins the sentence: a file that `option` named. */
export function cannotWrite(what: string, option: string, cause: unknown): TapedeckError {
  return tapedeckError("tapedeck_refused", `${what} could not be written: ${explain(cause)}.`, {
    hint: `Name a file that can be written with ${option}.`,
    cause,
  });
}

/** A call that carries the key with which we fill in for a missing one. Nothing is sent. */
export function placeholderKey(provider: string, variable: string): TapedeckError {
  return tapedeckError("tapedeck_refused", `The call to ${provider} carries Tapedeck's placeholder key.`, {
    status: 401,
    hint: `Set ${variable} to your own key where the tests run; nothing was sent.`,
  });
}

/** A call whose signature covers the address that it was sent to. Nothing is sent. */
export function signedForUs(provider: string, keyVariable: string | undefined): TapedeckError {
  const instead = keyVariable === undefined ? "Use a key" : `Set ${keyVariable} to an API key of ${provider}`;
  return tapedeckError(
    "tapedeck_refused",
    `The call to ${provider} is signed for Tapedeck's own address (AWS Signature Version 4), and ${provider} would reject it.`,
    {
      status: 401,
      hint: `${instead} where the tests run, and record again; replaying needs no credentials. Nothing was sent.`,
    },
  );
}

/** A call with a key that is not for whom the call would be sent to. Nothing is sent; the key itself is not told. */
export function credentialOfAnother({
  owner,
  place,
  addressee,
  address,
}: {
  readonly owner: string;
  /** The header, or "the query". */
  readonly place: string;
  readonly addressee: string;
  readonly address: string;
}): TapedeckError {
  return tapedeckError(
    "tapedeck_refused",
    `The call carries a key of ${owner} (${place}) and would have gone to ${addressee} (${address}). Nothing was sent.`,
    {
      status: 403,
      hint: `Point the client to its own provider (the variables are in Tapedeck's README), or name the one that ${addressee} calls are to go to: --upstream ${addressee}=https://…, in VS Code tapedeck.upstreams.`,
    },
  );
}

/** An argument of the library that cannot be used. */
export function wrongArgument(name: string, wanted: string, given: unknown): TapedeckError {
  const got = given === null ? "null" : typeof given;
  return wrongUsage(
    `${name}: ${wanted} is expected, got ${got}`,
    "See docs/library.md for what each function takes.",
  );
}

export function wrongUsage(message: string, hint: string): TapedeckError {
  return tapedeckError("tapedeck_usage", message, { hint });
}
