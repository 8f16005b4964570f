import { type Fields, readFields } from "../../core/base/lenient.ts";
import { type ChatErrorKind, isChatError, kindOfStatus, markChatError } from "../../client/errors.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** Any failure of a provider. The classes below it are siblings: a timeout is not a connection error. */
export class ChatProviderError extends Error {
  override readonly name: string = "ChatProviderError";

  constructor(message: string, kind: ChatErrorKind = "unknown", options?: ErrorOptions) {
    super(message, options);
    markChatError(this, kind);
  }
}

/** Invalid arguments, found before a request is sent. */
export function validationError(message: string): ChatProviderError {
  return new ChatProviderError(message, "validation");
}

export class APIConnectionError extends ChatProviderError {
  override readonly name = "APIConnectionError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, "connection", options);
  }
}

export class APITimeoutError extends ChatProviderError {
  override readonly name = "APITimeoutError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, "timeout", options);
  }
}

/** Details of a response beside its status. */
export interface StatusDetails extends ErrorOptions {
  readonly requestId?: string | null;
  readonly traceId?: string | null;
  readonly retryAfterMs?: number;
}

export class APIStatusError extends ChatProviderError {
  override readonly name = "APIStatusError";
  readonly statusCode: number;
  readonly requestId: string | null;
  readonly traceId: string | null;

  constructor(statusCode: number, message: string, details: StatusDetails = {}) {
    const { requestId = null, traceId = null, retryAfterMs, ...options } = details;
    super(message, kindOfStatus(statusCode), options);
    this.statusCode = statusCode;
    this.requestId = requestId;
    this.traceId = traceId;
    const known = { status: statusCode, ...pickDefined({ retryAfterMs }) };
    markChatError<Error>(this, kindOfStatus(statusCode), known);
  }
}

export class APIEmptyResponseError extends ChatProviderError {
  override readonly name = "APIEmptyResponseError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, "empty", options);
  }
}

/** A failure between client and provider, as HTTP clients classify it. */
export type TransportFault =
  | { readonly kind: "timeout" | "network" | "remote-protocol" | "other"; readonly message: string }
  | {
      readonly kind: "status";
      readonly message: string;
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Converts a failure of the transport to kosong's error. "other" is neither a timeout nor a network or status error. */
export function convertTransportFault(fault: TransportFault, cause?: unknown): ChatProviderError {
  const options = { cause };
  switch (fault.kind) {
    case "timeout":
      return new APITimeoutError(fault.message, options);
    case "network":
    case "remote-protocol":
      return new APIConnectionError(fault.message, options);
    case "status": {
      const { headers = {}, status, message } = fault;
      const ids = { requestId: headers["x-request-id"] ?? null, traceId: headers["x-trace-id"] ?? null };
      return new APIStatusError(status, message, { ...ids, ...options });
    }
    case "other":
      break;
  }
  return new ChatProviderError(`HTTP error: ${fault.message}`, "unknown", options);
}

const TIMEOUT_WORDS = /timed?\s*out|timeout|deadline/i;
const NETWORK_WORDS = /network|connection|connect|disconnect/i;

/**
 * Converts an error of an official SDK into kosong's. SDK errors are recognized by class name, because each bundle has
 * its own copy of the class. An API error without a body is classified by its message.
 */
export function convertSdkError(thrown: unknown): ChatProviderError {
  if (thrown instanceof ChatProviderError) return thrown;
  const message = describeThrown(thrown);
  const options = { cause: thrown };
  const classes = classNames(thrown);
  const { status, requestID, body } = factsOf(readFields(thrown));
  if (status !== undefined) return new APIStatusError(status, message, { requestId: requestID, ...options });
  if (classes.includes("APIConnectionTimeoutError") || classes.includes("APITimeoutError"))
    return new APITimeoutError(message, options);
  if (classes.includes("APIConnectionError")) return new APIConnectionError(message, options);
  if (isChatError(thrown) && thrown.kind === "timeout") return new APITimeoutError(message, options);
  if (isChatError(thrown) && thrown.kind === "connection") return new APIConnectionError(message, options);
  if (classes.includes("APIError") && !body) {
    if (TIMEOUT_WORDS.test(message)) return new APITimeoutError(message, options);
    if (NETWORK_WORDS.test(message)) return new APIConnectionError(message, options);
  }
  return new ChatProviderError(`Error: ${message}`, isChatError(thrown) ? thrown.kind : "unknown", options);
}

function factsOf(thrown: Fields): {
  readonly status: number | undefined;
  readonly requestID: string | null;
  readonly body: boolean;
} {
  const { status, requestID, requestId } = thrown;
  const id = requestID ?? requestId;
  return {
    status: typeof status === "number" ? status : undefined,
    requestID: typeof id === "string" ? id : null,
    body: (thrown["error"] ?? thrown["body"] ?? null) !== null,
  };
}

/** Returns the names of an error's class and its superclasses; "APIError" also for a bundler's `class APIError2`. */
function classNames(thrown: unknown): readonly string[] {
  const names: string[] = [];
  let prototype: unknown =
    typeof thrown === "object" && thrown !== null ? Object.getPrototypeOf(thrown) : null;
  while (typeof prototype === "object" && prototype !== null) {
    const maker: unknown = Reflect.get(prototype, "constructor");
    if (typeof maker === "function") names.push(maker.name.replace(/\d+$/, ""));
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}
