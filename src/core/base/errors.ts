import { joinList, joinSentences, localize, formatOption } from "./localize.ts";
import { makeVisible } from "./visible.ts";
import { describeThrown } from "./thrown-text.ts";

/**
 * The catalog of failures: one factory each, with a message (what happened) and a hint (what to do next).
 * Protocols render them, the server and the CLI map them, and the editor shows them.
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

/** Status of a refused call to a provider without an address, or to one that is not configured. */
export const NO_ADDRESS = 404;

/** Status of a call that had no connection to its provider. Some clients retry 500 and above despite `x-should-retry: false`. */
const WITHOUT_CONNECTION = 404;

const MARKER = Symbol.for("llm-tapedeck.error");

/** A failure that is part of the product. `message` is what happened to what, `hint` is what to do next. */
export interface TapedeckError extends Error {
  readonly code: TapedeckErrorCode;
  /** The HTTP status that a client receives. */
  readonly status: number;
  readonly hint: string;
  /** Its place in a file: 1-based line and column. */
  readonly position?: Position;
  /** Reason why a recording cannot be read, without its path. */
  readonly reason?: string;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Whether a value is a failure of the catalog and not a bug. Works across bundles, where `instanceof` would not. */
export function isTapedeckError(value: unknown): value is TapedeckError {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Returns a rejection handler that passes a TapedeckError to `handle`. @throws every other error as it is */
export function handleTapedeckErrors<T>(handle: (failure: TapedeckError) => T): (error: unknown) => T {
  return (error) => {
    if (isTapedeckError(error)) return handle(error);
    throw error;
  };
}

/** Returns the result of `act`, or of `failed` if `act` throws a TapedeckError. @throws every other error as it is */
export function attempt<T, F>(act: () => T, failed: (failure: TapedeckError) => F): T | F {
  try {
    return act();
  } catch (error) {
    return handleTapedeckErrors(failed)(error);
  }
}

interface Details {
  readonly hint: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly position?: Position;
}

/**
 * Creates a failure of the catalog, for factories that are next to their subject; others are below. Invisible and
 * control characters are escaped, because texts may quote untrusted input and test runners print them unchanged.
 */
export function createTapedeckError(
  code: TapedeckErrorCode,
  message: string,
  details: Details,
): TapedeckError {
  const { hint, status = STATUS[code], cause, position } = details;
  const error = new Error(makeVisible(message), cause === undefined ? undefined : { cause });
  error.name = "TapedeckError";
  const shown = { hint: makeVisible(hint), ...(position && { position }) };
  return Object.assign(error, { [MARKER]: true, code, status, ...shown });
}

/** Returns message and hint as one text. After a message of several lines, the hint starts a new line. */
export function explain(error: unknown): string {
  if (isTapedeckError(error))
    return error.message.includes("\n")
      ? `${error.message}\n${error.hint}`
      : joinSentences(error.message, error.hint);
  return describeThrown(error);
}

/** Reports a request that its operation cannot take. `what` names the fault, e.g. "the body is not JSON: …". */
export function createBadRequest(what: string, hint: string, cause?: unknown): TapedeckError {
  return createTapedeckError(
    "tapedeck_bad_request",
    localize("Tapedeck cannot read this request: {0}", what),
    {
      hint,
      cause,
    },
  );
}

export function createBodyTooLarge(limitBytes: number): TapedeckError {
  return createTapedeckError(
    "tapedeck_too_large",
    localize("The request body is larger than {0} MiB.", limitBytes / 1_048_576),
    { hint: localize("Send a smaller request; larger ones cannot be recorded.") },
  );
}

/** The guard refused a request. `rule` must not quote the request. */
export function createRefusal(rule: string, hint: string, status: 403 | 404 | 503 = 403): TapedeckError {
  return createTapedeckError("tapedeck_refused", localize("Tapedeck refused this request: {0}", rule), {
    hint,
    status,
  });
}

const nameUpstream = (provider: string): string =>
  formatOption(`--upstream ${provider}=https://…`, "tapedeck.upstreams");

export function createUnknownProvider(provider: string, known: readonly string[]): TapedeckError {
  return createRefusal(
    localize('there is no provider "{0}".', provider),
    localize(
      "Known providers are {0}. To add one, set its address with {1}.",
      joinList(known),
      nameUpstream(provider),
    ),
    NO_ADDRESS,
  );
}

export function createUpstreamUnreachable(provider: string, address: string, cause: unknown): TapedeckError {
  const detail =
    cause instanceof Error
      ? cause.cause instanceof Error
        ? cause.cause.message
        : cause.message
      : String(cause);
  // Messages of lower layers may end with a period or a line break.
  return createTapedeckError(
    "tapedeck_upstream",
    localize("Tapedeck could not reach {0} at {1}: {2}.", provider, address, detail.replace(/[\s.:]+$/, "")),
    {
      hint: localize("Nothing was recorded. Check the network and the address."),
      cause,
      ...(isWithoutConnection(cause) && { status: WITHOUT_CONNECTION }),
    },
  );
}

/** Node error codes for an unknown host name, a failed connection, or a rejected certificate. */
const CONNECTION_FAILED =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

function isWithoutConnection(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.every(isWithoutConnection);
  const { code = "", syscall } = cause as { readonly code?: string; readonly syscall?: string };
  return syscall === "connect" || CONNECTION_FAILED.test(code) || isWithoutConnection(cause.cause);
}

/** Whether a failed call was never sent: Tapedeck refused it or could not connect. Other calls may have been sent. */
export function wasNotSent(error: unknown): boolean {
  return (
    isTapedeckError(error) && (error.code !== "tapedeck_upstream" || error.status === WITHOUT_CONNECTION)
  );
}

/** Creates the error of a call that failed by a bug in Tapedeck. */
export function createUnexpectedFailure(cause: unknown): TapedeckError {
  const detail = describeThrown(cause);
  return createTapedeckError("tapedeck_refused", localize("Tapedeck failed on this call: {0}.", detail), {
    status: 500,
    hint: localize("Nothing was recorded. This is a bug in Tapedeck; please report it with the log."),
    cause,
  });
}

/** The client closed its connection, so no client reads this error: it only appears in reports. */
export function createClientLeft(
  message = localize("The client closed the connection before the response arrived; nothing was recorded."),
  hint = localize(
    'Increase the client\'s timeout, and record again. If the test cancels the call, plan a fault with "firstTokenMs" for it.',
  ),
): TapedeckError {
  return createTapedeckError("tapedeck_upstream", message, { hint, status: CLIENT_LEFT });
}

export function createNoUpstream(provider: string): TapedeckError {
  return createTapedeckError("tapedeck_refused", localize("Tapedeck has no address for {0}.", provider), {
    status: NO_ADDRESS,
    hint: localize("Set it with {0}.", nameUpstream(provider)),
  });
}

/** A recording that cannot be used. The file is not changed. */
export function createBrokenRecording(
  entry: string,
  reason: string,
  position?: { line: number; column: number },
): TapedeckError {
  const where = position ? `${entry}:${position.line}:${position.column}` : entry;
  const error = createTapedeckError(
    "tapedeck_cassette",
    localize("The recording {0} cannot be read: {1}", where, reason),
    {
      hint: localize("Correct the file, or delete it and record the call again. Tapedeck did not change it."),
      ...(position && { position: { file: entry, ...position } }),
    },
  );
  return Object.assign(error, { reason: makeVisible(reason) });
}

export function createCassetteFolderUnusable(dir: string, reason: string, cause?: unknown): TapedeckError {
  return createTapedeckError(
    "tapedeck_cassette",
    localize("The cassette folder {0} cannot be used: {1}", dir, reason),
    {
      hint: localize(
        "Check its path and permissions, or choose another folder with {0}.",
        formatOption("--dir", "tapedeck.folder"),
      ),
      cause,
    },
  );
}

/** A file that `option` named cannot be written. `what` begins the sentence. */
export function createCannotWrite(what: string, option: string, cause: unknown): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize("{0} could not be written: {1}.", what, explain(cause)),
    {
      hint: localize("Choose another file with {0}.", option),
      cause,
    },
  );
}

/** A call with the placeholder that Tapedeck sets for a missing API key. Nothing is sent. */
export function createPlaceholderKey(provider: string, variable: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize("The call to {0} carries Tapedeck's placeholder key.", provider),
    {
      status: 401,
      hint: localize("Nothing was sent. Set {0} to your own key in the environment of the tests.", variable),
    },
  );
}

/** A call whose signature covers Tapedeck's address. Nothing is sent. */
export function createSignedForUs(provider: string, keyVariable: string | undefined): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      "The call to {0} is signed for Tapedeck's address (AWS Signature Version 4), so {0} would reject it.",
      provider,
    ),
    {
      status: 401,
      hint:
        keyVariable === undefined
          ? localize(
              "Nothing was sent. Use an API key of {0} in the environment of the tests, and record again. Replaying needs no credentials.",
              provider,
            )
          : localize(
              "Nothing was sent. Set {0} to an API key of {1} in the environment of the tests, and record again. Replaying needs no credentials.",
              keyVariable,
              provider,
            ),
    },
  );
}

/** A call with a key of another provider than the one it would be sent to. Nothing is sent; the key is not shown. */
export function createCredentialOfAnother({
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
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      "The call has a key of {0} ({1}), but would have been sent to {2} ({3}). Nothing was sent.",
      owner,
      place,
      addressee,
      address,
    ),
    {
      status: 403,
      hint: localize(
        "Set the base URL of the key's own provider in the client (see the variables in Tapedeck's README), or set the address for {0} calls with {1}.",
        addressee,
        nameUpstream(addressee),
      ),
    },
  );
}

/** Reports an argument of the library that cannot be used. */
export function createWrongArgument(name: string, expected: string, given: unknown): TapedeckError {
  const got = given === null ? "null" : typeof given;
  return createWrongUsage(
    localize("{0}: expected {1}, got {2}", name, expected, got),
    localize("docs/library.md lists the arguments of each function."),
  );
}

export function createWrongUsage(message: string, hint: string): TapedeckError {
  return createTapedeckError("tapedeck_usage", message, { hint });
}
