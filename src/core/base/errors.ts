import { visible } from "./visible.ts";
import { thrownText } from "./thrown-text.ts";

/**
 * The catalogue of failures: each has a factory, one sentence of facts, and one sentence of help.
 * Protocols render them, the server and the CLI map them, and the editor shows them. All failure texts are in here.
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
  // Payment required: no SDK retries it.
  tapedeck_budget: 402,
  tapedeck_cassette: 404,
  tapedeck_remote: 502,
  tapedeck_usage: 400,
};

/** Status that servers log when a client closed its connection. */
export const CLIENT_LEFT = 499;

const MARKER = Symbol.for("llm-tapedeck.error");

/** An expected failure: `message` states what happened and to what, `hint` what to do next. */
export interface TapedeckError extends Error {
  readonly code: TapedeckErrorCode;
  /** HTTP status sent to the client. */
  readonly status: number;
  readonly hint: string;
  /** Place in a file: 1-based line and column. */
  readonly position?: Position;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Distinguishes Tapedeck's failures from bugs. Works across bundles, where `instanceof` does not. */
export function isTapedeckError(value: unknown): value is TapedeckError {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Makes a `catch` handler that passes a `TapedeckError` to `handle`. @throws any other error unchanged */
export function whereOurs<T>(handle: (failure: TapedeckError) => T): (error: unknown) => T {
  return (error) => {
    if (isTapedeckError(error)) return handle(error);
    throw error;
  };
}

/** Returns the result of `act`, or of `handle` if `act` throws a `TapedeckError`. @throws any other error unchanged */
export function attempt<T, F>(act: () => T, handle: (failure: TapedeckError) => F): T | F {
  try {
    return act();
  } catch (error) {
    return whereOurs(handle)(error);
  }
}

interface Details {
  readonly hint: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly position?: Position;
}

/**
 * Makes a failure for a factory, below or in the file of its subject. Names and excerpts in the texts can come from
 * anywhere, and test runners print them unchanged, so that invisible and control characters are escaped.
 */
export function tapedeckError(code: TapedeckErrorCode, message: string, details: Details): TapedeckError {
  const { hint, status = STATUS[code], cause, position } = details;
  const error = new Error(visible(message), cause === undefined ? undefined : { cause });
  error.name = "TapedeckError";
  const shown = { hint: visible(hint), ...(position && { position }) };
  return Object.assign(error, { [MARKER]: true, code, status, ...shown });
}

/** Returns message and hint as one text to show. After a message of several lines, the hint starts a new line. */
export function explain(error: unknown): string {
  if (isTapedeckError(error))
    return `${error.message}${error.message.includes("\n") ? "\n" : " "}${error.hint}`;
  return thrownText(error);
}

/** Reports a request that its operation cannot take. `what` names the fault, e.g. "the body is not JSON: …". */
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

/** Reports a request that the guard rejected. Names the rule, and nothing of the request. */
export function refused(rule: string, hint: string, status: 403 | 404 | 503 = 403): TapedeckError {
  return tapedeckError("tapedeck_refused", `Tapedeck refused this request: ${rule}`, { hint, status });
}

export function unknownProvider(provider: string, known: readonly string[]): TapedeckError {
  return refused(
    `no provider is called "${provider}".`,
    `Known providers: ${known.join(", ")}. For another one, set its address with --upstream ${provider}=https://… or the setting tapedeck.upstreams.`,
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
  // The text of the cause may end with a period or a line break.
  return tapedeckError(
    "tapedeck_upstream",
    `Tapedeck could not reach ${provider} at ${address}: ${detail.replace(/[\s.:]+$/, "")}.`,
    { hint: "Check the network and the address; nothing was recorded.", cause },
  );
}

/** Reports that the client closed its connection. Only logs and listeners receive it. */
export function clientLeft(
  when = "before the response arrived",
  hint = "Give the client more time, and record again.",
): TapedeckError {
  const message = `The client left ${when}; nothing was recorded.`;
  return tapedeckError("tapedeck_upstream", message, { hint, status: CLIENT_LEFT });
}

export function noUpstream(provider: string): TapedeckError {
  return tapedeckError("tapedeck_refused", `Tapedeck has no address for ${provider}.`, {
    status: 404,
    hint: `Set it with --upstream ${provider}=https://… or the setting tapedeck.upstreams.`,
  });
}

/** Reports a recording that cannot be used, with the reason and the place. The file is not changed. */
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

/** Reports a file that cannot be written. `what` starts the sentence; `option` is the option that named the file. */
export function cannotWrite(what: string, option: string, cause: unknown): TapedeckError {
  return tapedeckError("tapedeck_refused", `${what} could not be written: ${explain(cause)}.`, {
    hint: `Name a file that can be written with ${option}.`,
    cause,
  });
}

/** Reports a call with Tapedeck's placeholder for a missing key. Nothing is sent. */
export function placeholderKey(provider: string, variable: string): TapedeckError {
  return tapedeckError("tapedeck_refused", `The call to ${provider} carries Tapedeck's placeholder key.`, {
    status: 401,
    hint: `Set ${variable} to your own key where the tests run; nothing was sent.`,
  });
}

/** Reports a call whose signature covers Tapedeck's address. Nothing is sent. */
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

/** Reports a call with a key of another provider than its upstream. Nothing is sent, and the key is not shown. */
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
      hint: `Point the client to its own provider (the variables are in Tapedeck's README), or set the upstream of ${addressee} calls: --upstream ${addressee}=https://…, in VS Code tapedeck.upstreams.`,
    },
  );
}

/** Reports an argument of the library that cannot be used. */
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
