import { isTapedeckError } from "../core/base/errors.ts";
import type { ChatReply } from "./reply.ts";
import { thrownText } from "../core/base/thrown-text.ts";
import { pickDefined } from "../core/base/pick-defined.ts";

/** What went wrong with a chat call. "rate-limit" and "authentication" are status errors that have a name. */
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
  /** Overrules what the kind and the status say. */
  readonly retryable?: boolean;
  /** Where in the request or the answer, e.g. "messages[2].parts[0]" or "line 3". */
  readonly where?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly retryAfterMs?: number;
  readonly provider?: string;
  readonly cause?: unknown;
  /** What the model said, where it could not be read as it should have been. */
  readonly answer?: string;
  /** The whole answer that the failure is about, where there was one: it was paid for. */
  readonly reply?: ChatReply;
  /** How often it was tried, where a wrapper tried more than once. */
  readonly tries?: number;
}

/** A failed chat call: `message` says what happened on what. */
export interface ChatError extends Error, Omit<ChatErrorDetails, "retryable" | "cause"> {
  readonly kind: ChatErrorKind;
  readonly retryable: boolean;
}

const MARKER = Symbol.for("llm-tapedeck.chat-error");

/** Tells failed calls from bugs. Works across bundles, where `instanceof` would not. */
export function isChatError(value: unknown): value is ChatError {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Makes a failure; `retryable` follows from kind and status unless the details say otherwise. */
export function chatError(kind: ChatErrorKind, message: string, details: ChatErrorDetails = {}): ChatError {
  const { cause, ...rest } = details;
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = "ChatError";
  return markChatError(error, kind, rest);
}

/** Makes a `ChatError` of an error that has a class of its own, in place: for the vocabularies that have such classes. */
export function markChatError<E extends Error>(
  error: E,
  kind: ChatErrorKind,
  details: Omit<ChatErrorDetails, "cause"> = {},
): E & ChatError {
  if (!(error instanceof Error)) throw invalid("error", `an Error is expected, got ${typeof error}`);
  const retryable = details.retryable ?? isWorthRetrying(kind, details.status);
  return Object.assign(error, { [MARKER]: kind, ...details, kind, retryable });
}

/** The kind that a status stands for: 401 and 403 authentication, 408 timeout, 429 rate limit, all others status. */
export function kindOfStatus(status: number): ChatErrorKind {
  if (status === 401 || status === 403) return "authentication";
  if (status === 408) return "timeout";
  return status === 429 ? "rate-limit" : "status";
}

/** Connection errors, timeouts, 408, 409, 429 and 5xx can succeed later; all else fails the same way again. */
function isWorthRetrying(kind: ChatErrorKind, status: number | undefined): boolean {
  if (kind === "connection" || kind === "timeout" || kind === "rate-limit") return true;
  return kind === "status" && status !== undefined && (status === 409 || status >= 500);
}

/** The request cannot be sent as it is. `where` is its place in the request. */
export function invalid(where: string, what: string, hint?: string): ChatError {
  return chatError("validation", `${where}: ${what}`, { where, ...pickDefined({ hint }) });
}

export function statusError(status: number, message: string, details: ChatErrorDetails = {}): ChatError {
  return chatError(kindOfStatus(status), message, { ...details, status });
}

/** The caller's signal ended the call. */
export function cancelled(cause?: unknown): ChatError {
  return chatError("cancelled", "The call was cancelled.", { cause });
}

/** What was thrown, as a `ChatError`: a failure of ours keeps its hint, an abort is a cancellation, the rest is unknown. */
export function asChatError(thrown: unknown): ChatError {
  if (isChatError(thrown)) return thrown;
  if (isTapedeckError(thrown)) {
    const kind = thrown.code === "tapedeck_miss" ? "not-recorded" : "validation";
    return chatError(kind, thrown.message, { hint: thrown.hint, status: thrown.status, cause: thrown });
  }
  if (thrown instanceof Error && thrown.name === "AbortError") return cancelled(thrown);
  if (thrown instanceof Error && thrown.name === "TimeoutError")
    return chatError("timeout", thrown.message, { cause: thrown });
  return chatError("unknown", thrownText(thrown), { cause: thrown });
}
