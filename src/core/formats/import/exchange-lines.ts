import { localize } from "../../base/localize.ts";
import { decodeBase64 } from "../../base/base64.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import { findUnknownField } from "./body-fields.ts";
import { JSON_TYPE, withType, type ImportedEntry, type FoundMessage, readHeaders } from "./found.ts";
import {
  getAt,
  readBody,
  getFirstAt,
  isObject,
  isValue,
  listItems,
  getTextAt,
  type FileTree,
  describeNoStatus,
  readStatus,
  type StatusReading,
} from "./tree.ts";

/**
 * Reads a call: `request` and `reply` (or `response`), each a message (`{url, method, headers, body}`,
 * `{status, headers, body}`) or only the JSON of its body. Without an address, the format of the reply identifies the
 * provider.
 */
export function readExchangeLine(tree: FileTree, place: string): ImportedEntry {
  if (tree === null) return { place, skipped: localize("is not JSON") };
  const request = getAt(tree, "request");
  const reply = getFirstAt(tree, ["reply", "response"]);
  if (!isObject(request) || reply === undefined)
    return { place, skipped: localize("does not have a request and a reply under these names") };
  if (WIREMOCK.some((name) => getAt(request, name) !== undefined))
    return { place, skipped: localize("matches its body by a pattern, so that its request is unknown") };
  const [provider, recordedAt] = [
    getTextAt(tree, "provider"),
    getTextAt(getFirstAt(tree, ["recordedAt", "timestamp"])),
  ];
  const status = statusOf(tree, reply);
  if (status === "unreadable") return { place, skipped: describeNoStatus() };
  const unknown = [request, reply]
    .map((message) => isWhole(message) && findUnknownField(message, []))
    .find(Boolean);
  if (typeof unknown === "string") return { place, skipped: unknown };
  const address = addressOf(request, reply, provider);
  if (typeof address === "string") return { place, skipped: address };
  return {
    place,
    request: {
      method: (getTextAt(request, "method") ?? "POST").toUpperCase(),
      ...address,
      ...messageOf(request),
    },
    reply: {
      // The status is optional. Without it, the format of the body shows whether it is an error.
      status: typeof status === "number" ? status : 200,
      ...messageOf(reply),
    },
    provider,
    recordedAt,
  };
}

/** Members of a mapping of WireMock, which describes requests. Source: its "Request Matching", 2026-11. */
const WIREMOCK = ["bodyPatterns", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate"];

const STATUS = ["status", "status_code", "statusCode", "http_status", "httpStatus", "responseStatus"];

/** Reads the status from the reply or its line. A failure without a status code is "unreadable", never 200. */
function statusOf(line: FileTree, reply: FileTree): StatusReading {
  const replyStatus = isBare(reply) ? "absent" : readStatus(reply, [...STATUS, "code"]);
  if (replyStatus !== "absent") return replyStatus;
  const lineStatus = readStatus(line, STATUS);
  if (typeof lineStatus === "number") return lineStatus;
  const isGood =
    lineStatus === "absent" ||
    /^(?:ok|success|succeeded|completed?|done)$/i.test(getTextAt(line, "status") ?? "");
  return isGood && ![line, reply, getAt(reply, "body")].some(isFailed) ? "absent" : "unreadable";
}

function isFailed(tree: FileTree | undefined): boolean {
  const error = getAt(tree, "error") ?? null;
  const words = getTextAt(tree, "statusText") ?? "OK";
  return (
    getAt(tree, "ok") === false ||
    (error !== null && error !== false) ||
    !/^(?:ok|created|accepted)$/i.test(words)
  );
}

export function isExchangeLine(tree: FileTree): boolean {
  return isValue(getAt(tree, "request")) && getFirstAt(tree, ["reply", "response"]) !== undefined;
}

/** Whether a reply is only the JSON of its body. The `status` of OpenAI's responses is a word. */
function isBare(reply: FileTree | undefined): boolean {
  if (!isObject(reply)) return true;
  const ofMessage = ["body", "headers", "status_code", "statusCode"].some(
    (name) => getAt(reply, name) !== undefined,
  );
  return (
    !ofMessage && (readStatus(reply, ["status"]) === "absent" || typeof getAt(reply, "status") === "string")
  );
}

/** Whether the value is a message with its fields, not only the JSON of its body. */
function isWhole(message: FileTree | undefined): boolean {
  return isObject(message) && (getAt(message, "body") !== undefined || !isBare(message));
}

function messageOf(message: FileTree | undefined): FoundMessage {
  const body = isWhole(message) ? (getAt(message, "body") ?? null) : (message ?? null);
  const headers = isWhole(message) ? readHeaders(getAt(message, "headers")) : [];
  const binary = typeof body === "string" ? decodeMarked(body) : undefined;
  if (binary !== undefined) return { headers, body: binary };
  if (typeof body === "string") return { headers: typedText(headers, body), body: encodeUtf8(body) };
  return { headers: withType(headers, JSON_TYPE), body: readBody(body) };
}

/** Decodes a binary body of Datadog's test agent. Source: its `vcr_proxy.py`, 2026-11. */
const decodeMarked = (body: string): Uint8Array | undefined =>
  body.startsWith("base64:") ? decodeBase64(body.slice(7)) : undefined;

function typedText(headers: FoundMessage["headers"], body: string): FoundMessage["headers"] {
  const isEvents = /^(?:event|data|id|retry):|^:/.test(body);
  return isEvents ? withType(headers, ["content-type", "text/event-stream"]) : withType(headers, JSON_TYPE);
}

/** Finds the URL; returns the reason as text if there is none. */
function addressOf(
  request: FileTree | undefined,
  reply: FileTree,
  provider: string | undefined,
): { readonly url: string } | string {
  const given = getTextAt(request, "url") ?? getTextAt(request, "path");
  if (given !== undefined && /^https?:\/\//.test(given)) return { url: given };
  if (given?.startsWith("/") === true)
    return provider === undefined
      ? localize(
          'has the path {0} without a provider: add the whole address as "url", or "provider" next to the request',
          given,
        )
      : { url: `https://${provider}.invalid${given}` };
  return (
    guessUrl(getAt(request, "body") ?? request, getAt(reply, "body") ?? reply) ??
    localize("has neither an address nor a provider, and its reply is in an unknown format")
  );
}

/** Guesses the URL from the format of the reply, which differs between providers. */
function guessUrl(request: FileTree | undefined, reply: FileTree): { readonly url: string } | undefined {
  const kind = getTextAt(reply, "object");
  const openai = "https://api.openai.com/v1";
  if (kind === "chat.completion") return { url: `${openai}/chat/completions` };
  if (kind === "text_completion") return { url: `${openai}/completions` };
  if (kind === "response") return { url: `${openai}/responses` };
  if (kind === "list" && getTextAt(listItems(getAt(reply, "data"))[0], "object") === "embedding")
    return { url: `${openai}/embeddings` };
  if (getTextAt(reply, "type") === "message" && getAt(request, "max_tokens") !== undefined)
    return { url: "https://api.anthropic.com/v1/messages" };
  if (getAt(reply, "done") === true && getAt(request, "model") !== undefined) {
    const operation = getAt(reply, "message") === undefined ? "generate" : "chat";
    return { url: `http://127.0.0.1:11434/api/${operation}` };
  }
  return undefined;
}
