import { isTapedeckError } from "../core/base/errors.ts";
import { describeThrown } from "../core/base/thrown-text.ts";
import { pickDefined } from "../core/base/pick-defined.ts";

/** Kind of a failure of a chat call. "rate-limit" and "authentication" are status errors with a name. */
export type ChatErrorKind =
  | "validation"
  | "not-recorded"
  | "token-limit"
  | "connection"
  | "timeout"
  | "status"
  | "rate-limit"
  | "authentication"
  | "empty"
  | "cancelled"
  | "unknown";

export interface ChatErrorDetails {
  readonly hint?: string;
  /** Default: derived from kind and status. */
  readonly retryable?: boolean;
  /** Place in the request or the answer, e.g. "messages[2].parts[0]" or "line 3". */
  readonly where?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly retryAfterMs?: number;
  readonly provider?: string;
  readonly cause?: unknown;
  /** The model's text, if it could not be read. */
  readonly answer?: string;
  /** Number of tries, if a wrapper retried. */
  readonly tries?: number;
}

/** A failed chat call. */
export interface ChatError extends Error, Omit<ChatErrorDetails, "retryable" | "cause"> {
  readonly kind: ChatErrorKind;
  readonly retryable: boolean;
}

const MARKER = Symbol.for("llm-tapedeck.chat-error");

/** Distinguishes failed calls from bugs. Works across bundles, where `instanceof` does not. */
export function isChatError(value: unknown): value is ChatError {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Makes a failure. The default of `retryable` follows from kind and status. */
export function chatError(kind: ChatErrorKind, message: string, details: ChatErrorDetails = {}): ChatError {
  const { cause, ...rest } = details;
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = "ChatError";
  return markChatError(error, kind, rest);
}

/** Turns an error with its own class into a `ChatError` in place, for systems with such classes. */
export function markChatError<E extends Error>(
  error: E,
  kind: ChatErrorKind,
  details: Omit<ChatErrorDetails, "cause"> = {},
): E & ChatError {
  if (!(error instanceof Error)) throw invalid("error", `an Error is expected, got ${typeof error}`);
  const retryable = details.retryable ?? isWorthRetrying(kind, details.status);
  return Object.assign(error, { [MARKER]: kind, ...details, kind, retryable });
}

/** Returns the kind of a status: 401 and 403 authentication, 408 timeout, 429 rate limit, others status. */
export function kindOfStatus(status: number): ChatErrorKind {
  if (status === 401 || status === 403) return "authentication";
  if (status === 408) return "timeout";
  return status === 429 ? "rate-limit" : "status";
}

/** Whether a retry can succeed: after connection errors, timeouts, 408, 409, 429, and 5xx. */
function isWorthRetrying(kind: ChatErrorKind, status: number | undefined): boolean {
  if (kind === "connection" || kind === "timeout" || kind === "rate-limit") return true;
  return kind === "status" && status !== undefined && (status === 409 || status >= 500);
}

/** Makes the error for an invalid request. `where` is the place in the request. */
export function invalid(where: string, what: string, hint?: string): ChatError {
  return chatError("validation", `${where}: ${what}`, { where, ...pickDefined({ hint }) });
}

export function statusError(status: number, message: string, details: ChatErrorDetails = {}): ChatError {
  return chatError(kindOfStatus(status), message, { ...details, status });
}

/** Makes the error for a call that its signal aborted. */
export function cancelled(cause?: unknown): ChatError {
  return chatError("cancelled", "The call was cancelled.", { cause });
}

/** Converts a thrown value: a `TapedeckError` keeps its hint, an abort is a cancellation, other values are "unknown". */
export function asChatError(thrown: unknown): ChatError {
  if (isChatError(thrown)) return thrown;
  if (isTapedeckError(thrown)) {
    const kind = thrown.code === "tapedeck_miss" ? "not-recorded" : "validation";
    return chatError(kind, thrown.message, { hint: thrown.hint, status: thrown.status, cause: thrown });
  }
  if (thrown instanceof Error && thrown.name === "AbortError") return cancelled(thrown);
  if (thrown instanceof Error && thrown.name === "TimeoutError")
    return chatError("timeout", thrown.message, { cause: thrown });
  return chatError("unknown", describeThrown(thrown), { cause: thrown });
}
