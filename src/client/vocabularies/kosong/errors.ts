import { kindOfStatus, markChatError, type ChatErrorKind } from "../../errors.ts";

/** Any failure of a provider. The classes below it are siblings: a timeout is not a connection error. */
export class ChatProviderError extends Error {
  override readonly name: string = "ChatProviderError";

  constructor(message: string, kind: ChatErrorKind = "unknown", options?: ErrorOptions) {
    super(message, options);
    markChatError(this, kind);
  }
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

/** What is known of an answer beside its status. */
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
    const known = { status: statusCode, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    markChatError<Error>(this, kindOfStatus(statusCode), known);
  }
}

export class APIEmptyResponseError extends ChatProviderError {
  override readonly name = "APIEmptyResponseError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, "empty", options);
  }
}
