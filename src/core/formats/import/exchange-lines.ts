import { bytesOf } from "../../base/wire/text.ts";
import { findUnknownField } from "./body-fields.ts";
import { JSON_TYPE, withType, type ImportedEntry, type FoundMessage, headersOf } from "./found.ts";
import {
  at,
  bodyOf,
  firstAt,
  isObject,
  isValue,
  itemsOf,
  textAt,
  type FileTree,
  NO_STATUS,
  statusIn,
  type SaidStatus,
} from "./tree.ts";

/**
 * One call: `request` and `reply` (or `response`), each a whole message (`{url, method, headers, body}`,
 * `{status, headers, body}`) or the JSON of its body alone; then the reply's own shape says whose it is.
 */
export function readExchangeLine(tree: FileTree, place: string): ImportedEntry {
  if (tree === null) return { place, skipped: "is no JSON" };
  const request = at(tree, "request");
  const reply = firstAt(tree, ["reply", "response"]);
  if (!isObject(request) || reply === undefined)
    return { place, skipped: "has no request and reply under these names" };
  const [provider, recordedAt] = [
    textAt(tree, "provider"),
    textAt(firstAt(tree, ["recordedAt", "timestamp"])),
  ];
  const said = statusOf(tree, reply);
  if (said === "unreadable") return { place, skipped: NO_STATUS };
  const unknown = [request, reply]
    .map((message) => isWhole(message) && findUnknownField(message, []))
    .find(Boolean);
  if (typeof unknown === "string") return { place, skipped: unknown };
  const address = addressOf(request, reply, provider);
  if (typeof address === "string") return { place, skipped: address };
  return {
    place,
    request: {
      method: (textAt(request, "method") ?? "POST").toUpperCase(),
      ...address,
      ...messageOf(request),
    },
    reply: {
      // A line may leave it out: whether it is an answer or an error is told by its shape, here as for a body alone.
      status: typeof said === "number" ? said : 200,
      ...messageOf(reply),
    },
    provider,
    recordedAt,
  };
}

const STATUS = ["status", "status_code", "statusCode", "http_status", "httpStatus", "responseStatus"];

/** By the reply, else by the line that it stands in. What says that it failed, and not with which status, is no 200. */
function statusOf(line: FileTree, reply: FileTree): SaidStatus {
  const own = isBare(reply) ? "unsaid" : statusIn(reply, [...STATUS, "code"]);
  if (own !== "unsaid") return own;
  const said = statusIn(line, STATUS);
  if (typeof said === "number") return said;
  const isGood =
    said === "unsaid" || /^(?:ok|success|succeeded|completed?|done)$/i.test(textAt(line, "status") ?? "");
  return isGood && ![line, reply, at(reply, "body")].some(isFailed) ? "unsaid" : "unreadable";
}

function isFailed(tree: FileTree | undefined): boolean {
  const error = at(tree, "error") ?? null;
  const words = textAt(tree, "statusText") ?? "OK";
  return (
    at(tree, "ok") === false ||
    (error !== null && error !== false) ||
    !/^(?:ok|created|accepted)$/i.test(words)
  );
}

export function isExchangeLine(tree: FileTree): boolean {
  return isValue(at(tree, "request")) && firstAt(tree, ["reply", "response"]) !== undefined;
}

/** Whether a reply is the JSON of its body alone. OpenAI's responses have a status in words. */
function isBare(reply: FileTree | undefined): boolean {
  if (!isObject(reply)) return true;
  const ofMessage = ["body", "headers", "status_code", "statusCode"].some(
    (name) => at(reply, name) !== undefined,
  );
  return !ofMessage && (statusIn(reply, ["status"]) === "unsaid" || typeof at(reply, "status") === "string");
}

/** Whether the value is a message with its fields, not only the JSON of its body. */
function isWhole(message: FileTree | undefined): boolean {
  return isObject(message) && (at(message, "body") !== undefined || !isBare(message));
}

function messageOf(message: FileTree | undefined): FoundMessage {
  const body = isWhole(message) ? (at(message, "body") ?? null) : (message ?? null);
  const headers = isWhole(message) ? headersOf(at(message, "headers")) : [];
  if (typeof body === "string") return { headers: typedText(headers, body), body: bytesOf(body) };
  return { headers: withType(headers, JSON_TYPE), body: bodyOf(body) };
}

function typedText(headers: FoundMessage["headers"], body: string): FoundMessage["headers"] {
  const isEvents = /^(?:event|data|id|retry):|^:/.test(body);
  return isEvents ? withType(headers, ["content-type", "text/event-stream"]) : withType(headers, JSON_TYPE);
}

/** The address, or why there is none. */
function addressOf(
  request: FileTree | undefined,
  reply: FileTree,
  provider: string | undefined,
): { readonly url: string } | string {
  const said = textAt(request, "url") ?? textAt(request, "path");
  if (said !== undefined && /^https?:\/\//.test(said)) return { url: said };
  if (said?.startsWith("/") === true)
    return provider === undefined
      ? `names the path ${said} and not whose it is: give the whole address as "url", or "provider" beside the request`
      : { url: `https://${provider}.invalid${said}` };
  const body = at(reply, "body") ?? reply;
  const asked = at(request, "body") ?? request;
  return guessUrl(asked, body) ?? "says neither address nor provider, and its reply is of no known shape";
}

/** The reply tells its maker: each of these says in its own words what it is. */
function guessUrl(asked: FileTree | undefined, body: FileTree): { readonly url: string } | undefined {
  const kind = textAt(body, "object");
  const openai = "https://api.openai.com/v1";
  if (kind === "chat.completion") return { url: `${openai}/chat/completions` };
  if (kind === "text_completion") return { url: `${openai}/completions` };
  if (kind === "response") return { url: `${openai}/responses` };
  if (kind === "list" && textAt(itemsOf(at(body, "data"))[0], "object") === "embedding")
    return { url: `${openai}/embeddings` };
  if (textAt(body, "type") === "message" && at(asked, "max_tokens") !== undefined)
    return { url: "https://api.anthropic.com/v1/messages" };
  if (at(body, "done") === true && at(asked, "model") !== undefined) {
    const operation = at(body, "message") === undefined ? "generate" : "chat";
    return { url: `http://127.0.0.1:11434/api/${operation}` };
  }
  return undefined;
}
