import { readFields, isFields, tryParsePlainJson, readText, type Fields } from "../../core/base/lenient.ts";
import { asChatError, chatError, isChatError, kindOfStatus, type ChatError } from "../errors.ts";
import type { ChatErrorDetails, ChatErrorKind } from "../errors.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/**
 * Converts an error of an official SDK to a `ChatError` with the SDK's message. Recognizes SDKs by the members of their
 * errors, not by class, so that it works with any copy of an SDK.
 */
export function sdkError(thrown: unknown, provider = "openai"): ChatError {
  if (isChatError(thrown) || !(thrown instanceof Error) || thrown.name === "AbortError")
    return asChatError(thrown);
  const [kind, details] = classify(thrown);
  return chatError(kind, thrown.message, { provider, cause: thrown, ...details });
}

type ErrorClass = readonly [kind: ChatErrorKind, details?: ChatErrorDetails];

function classify(thrown: Error): ErrorClass {
  const name = thrown.constructor.name;
  if (name === "APIUserAbortError") return ["cancelled"];
  if (name === "APIConnectionTimeoutError" || thrown.name === "TimeoutError") return ["timeout"];
  const facts = factsOf(thrown);
  const { status, code, details } = facts;
  const kind = kindOfEngine(facts);
  if (kind !== undefined) return [kind, pickDefined({ status })];
  if (status !== undefined) return [kindOfStatus(status), { ...details, status }];
  if (name === "APIConnectionError" || isNetworkFailure(thrown))
    return ["connection", { hint: "Check the network and the address." }];
  if (CUT.test(thrown.message)) return ["connection"];
  return code === "rate_limit_exceeded" ? ["rate-limit"] : ["unknown"];
}

interface Facts {
  readonly status: number | undefined;
  /** The provider's error code. */
  readonly code: string | undefined;
  readonly outcome: string | undefined;
  readonly details: { readonly requestId?: string; readonly retryAfterMs?: number };
}

function factsOf(thrown: Error): Facts {
  const fields = ownFields(thrown);
  const body = failureBody(fields, thrown.message);
  const headers = fields["headers"];
  const header = (name: string): string | undefined =>
    headers instanceof Headers ? (headers.get(name) ?? undefined) : undefined;
  const code =
    readText(body["code"]) ?? readText(body["type"]) ?? readText(body["status"]) ?? readText(fields["code"]);
  const status = [fields["status"], fields["status_code"]].find((one) => typeof one === "number");
  const requestId =
    readText(fields["requestID"]) ??
    readText(fields["request_id"]) ??
    header("x-request-id") ??
    header("request-id");
  const retryAfterMs = retryAfter(header("retry-after-ms"), header("retry-after"));
  return {
    status: status ?? STATUS_OF_TYPE[String(readText(body["type"]))] ?? statusIn(body["code"]),
    code,
    outcome: header("x-tapedeck-outcome"),
    details: pickDefined({ requestId, retryAfterMs }),
  };
}

/** Returns the error object of the provider: a member of the SDK's error, or JSON in its message. */
function failureBody(fields: Fields, message: string): Fields {
  const given = isFields(fields["error"]) ? fields["error"] : readFields(tryParsePlainJson(message));
  return isFields(given["error"]) ? given["error"] : given;
}

/** Statuses by error type, because an error inside a stream has no status. Source: docs.anthropic.com/en/api/errors, 2026-11. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  server_error: 500,
  overloaded_error: 529,
};

/** Returns the status of a failure in a stream, which OpenRouter and others send as its code. */
function statusIn(code: unknown): number | undefined {
  return typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
}

/** Returns the kind of a failure of Tapedeck's engine in the provider's format; undefined for any other failure. */
function kindOfEngine({ code, outcome }: Facts): ChatErrorKind | undefined {
  if (code === "tapedeck_miss" || outcome === "miss") return "not-recorded";
  if (code === "tapedeck_upstream") return "connection";
  return code?.startsWith("tapedeck_") || outcome === "refused" ? "validation" : undefined;
}

/** Returns the retry delay in milliseconds. Dates are not supported, because they need a clock. */
function retryAfter(milliseconds: string | undefined, seconds: string | undefined): number | undefined {
  const exact = Number(milliseconds ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const rough = Number(seconds ?? Number.NaN) * 1000;
  return Number.isFinite(rough) && rough >= 0 ? rough : undefined;
}

const NETWORK = /^(?:fetch failed|terminated|network|failed to fetch|other side closed)/i;
/** Messages of the SDKs about a truncated answer. */
const CUT =
  /Incomplete JSON segment|Did not receive done|Unexpected end of JSON|stream ended without|request ended without/i;

function isNetworkFailure(error: Error): boolean {
  return NETWORK.test(error.message) || /^(?:ECONN|ENOTFOUND|EPIPE|UND_ERR|EAI_)/.test(String(codeOf(error)));
}

const ownFields = (error: Error): Fields => Object.fromEntries(Object.entries(error));

function codeOf(error: Error): string | undefined {
  const code = readText(ownFields(error)["code"]);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}
