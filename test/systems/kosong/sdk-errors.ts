import { APIConnectionError, APIConnectionTimeoutError, APIError, OpenAIError } from "openai";

/** An error as the official OpenAI SDK throws it, by the kind that golden rows name. */
export function aSdkError(kind: string, message: string): Error {
  switch (kind) {
    case "status":
      return withMessage(new APIError(503, undefined, message, new Headers()), message);
    case "timeout":
      return new APIConnectionTimeoutError({ message });
    case "connection":
      return new APIConnectionError({ message });
    case "base-with-body":
      return withMessage(new APIError(undefined, { message }, message, undefined), message);
    case "openai-error":
      return new OpenAIError(message);
    default:
      return withMessage(new APIError(undefined, undefined, message, undefined), message);
  }
}

/** The SDK puts the status in front of the text. */
function withMessage(error: Error, message: string): Error {
  error.message = message;
  return error;
}

/** httpx's exceptions by what they mean. */
export const TRANSPORT_KINDS: Readonly<
  Record<string, "timeout" | "network" | "remote-protocol" | "status" | "other">
> = {
  ConnectTimeout: "timeout",
  ReadTimeout: "timeout",
  WriteTimeout: "timeout",
  PoolTimeout: "timeout",
  ConnectError: "network",
  ReadError: "network",
  RemoteProtocolError: "remote-protocol",
  HTTPStatusError: "status",
};
