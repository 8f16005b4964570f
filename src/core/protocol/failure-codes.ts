export type FailureCodes = ReadonlyMap<number, string>;

/** Returns the code of a status, or that of 400 or 500 if it has none. */
export function getFailureCode(codes: FailureCodes, status: number): string {
  return codes.get(status) ?? codes.get(status >= 500 ? 500 : 400) ?? "error";
}

/** Source: platform.openai.com/docs/guides/error-codes, 2026-11. */
export const OPENAI_CODES: FailureCodes = new Map([
  [400, "invalid_request_error"],
  [401, "invalid_api_key"],
  [403, "permission_denied"],
  [404, "not_found"],
  [429, "rate_limit_exceeded"],
  [500, "server_error"],
]);

/** Source: docs.anthropic.com/en/api/errors, 2026-11. */
export const ANTHROPIC_CODES: FailureCodes = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [529, "overloaded_error"],
]);

/** Source: ai.google.dev/gemini-api/docs/troubleshooting, 2026-11. */
export const GEMINI_CODES: FailureCodes = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

/** Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors, 2026-11. */
export const BEDROCK_CODES: FailureCodes = new Map([
  [400, "ValidationException"],
  [403, "AccessDeniedException"],
  [404, "ResourceNotFoundException"],
  [408, "ModelTimeoutException"],
  [424, "ModelErrorException"],
  [429, "ThrottlingException"],
  [500, "InternalServerException"],
  [503, "ServiceUnavailableException"],
]);
