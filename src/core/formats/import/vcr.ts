import { localize } from "../../base/localize.ts";
import { findUnknownField, readEncodedText } from "./body-fields.ts";
import { tryParseJson } from "../../base/json/json-parse.ts";
import { encodeUtf8, decodeText } from "../../base/wire/text.ts";
import {
  JSON_TYPE,
  readOwnMembers,
  withType,
  type ImportedEntry,
  type FoundMessage,
  readHeaders,
  findHeader,
} from "./found.ts";
import {
  getAt,
  readBody,
  getFirstAt,
  fromBase64,
  isObject,
  listItems,
  getTextAt,
  type FileTree,
  readStatus,
} from "./tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";

/**
 * Reads a VCR cassette in YAML or JSON: Python's vcrpy and pytest-recording (`interactions`), LangChain (`requests` and
 * `responses`), Ruby's VCR and betamax (`http_interactions`), go-vcr (`interactions`, the status as `code`), and PHP (a
 * list). Bodies can be stored as parsed values (`parsed_body`).
 */
export function readVcr(tree: FileTree): readonly ImportedEntry[] {
  const interactions = getFirstAt(tree, ["interactions", "http_interactions"]) ?? pairsOf(tree) ?? tree;
  if (isInteraction(interactions)) return [interaction(interactions, localize("the interaction"))];
  return listItems(interactions).map((one, index) => interaction(one, `interaction ${index + 1}`));
}

export function isVcr(tree: FileTree): boolean {
  if (isObject(tree))
    return (
      Array.isArray(getFirstAt(tree, ["interactions", "http_interactions"])) ||
      pairsOf(tree) !== undefined ||
      isInteraction(tree)
    );
  const [first] = listItems(tree);
  return (
    isObject(getAt(first, "request")) &&
    isObject(getAt(first, "response")) &&
    urlOf(getAt(first, "request")) !== undefined
  );
}

/** Pairs requests and responses from two lists of the same length. Source: `CustomSerializer` of langchain-tests, 2026-11. */
function pairsOf(tree: FileTree): readonly FileTree[] | undefined {
  const [requests, responses] = [listItems(getAt(tree, "requests")), listItems(getAt(tree, "responses"))];
  if (requests.length !== responses.length || !requests.some((request) => urlOf(request) !== undefined))
    return undefined;
  return requests.map((request, index) => ({
    members: [
      ["request", request],
      ["response", responses[index] ?? null],
    ],
  }));
}

/** Whether a file contains a single interaction, by members that only VCR uses. */
function isInteraction(tree: FileTree): boolean {
  return getAt(tree, "request", "uri") !== undefined && isObject(getAt(tree, "response", "status"));
}

function interaction(one: FileTree, place: string): ImportedEntry {
  const [request, response] = [getAt(one, "request"), getAt(one, "response")];
  if (getTextAt(one, "kind") !== undefined && getAt(one, "data") !== undefined)
    return { place, skipped: localize("is a WebSocket message, not a call over HTTP") };
  if (getFirstAt(one, ["request_sample", "request_stream"]) !== undefined)
    return { place, skipped: localize("is a gRPC call, not one over HTTP") };
  const url = urlOf(request);
  if (url === undefined) return { place, skipped: localize("has no request with an address") };
  const status = readStatus(response, ["code", "status_code", "status"]);
  if (typeof status === "string") return { place, skipped: localize("has no reply with a status") };
  const [requestMessage, replyMessage] = [messageOf(request), messageOf(response)];
  if (typeof requestMessage === "string") return { place, skipped: requestMessage };
  if (typeof replyMessage === "string") return { place, skipped: replyMessage };
  const recordedAt = getTextAt(one, "recorded_at");
  return {
    place,
    request: { method: methodOf(request), url, ...requestMessage },
    reply: { status, ...replyMessage },
    ...pickDefined({ recordedAt }),
    ...readOwnMembers(getAt(one, "tapedeck")),
  };
}

function urlOf(request: FileTree | undefined): string | undefined {
  return getTextAt(request, "uri") ?? getTextAt(request, "url");
}

/** Returns the method, without the colon of Ruby's symbols: `:post`. */
function methodOf(request: FileTree | undefined): string {
  return (getTextAt(request, "method") ?? "GET").replace(/^:/, "").toUpperCase();
}

/** Fields next to a body that do not change how it is stored: those of go-vcr, and the one that `writtenBody` reads. */
const HARMLESS = ["transfer_encoding", "uncompressed", "base64encoded"];

/** Reads a message; returns the reason as the end of a sentence about its call if its body cannot be read. */
function messageOf(message: FileTree | undefined): FoundMessage | string {
  const unknown = findUnknownField(message, HARMLESS);
  if (unknown !== undefined) return unknown;
  const allHeaders = readHeaders(getAt(message, "headers"));
  const headers = allHeaders.filter(([, value]) => value !== REDACTED);
  const parsed = getAt(message, "parsed_body");
  if (parsed !== undefined) return { headers: withType(headers, JSON_TYPE), body: parsedBody(parsed) };
  const body = writtenBody(message);
  if (typeof body === "string") return body;
  const type = findHeader(allHeaders, "content-type") === REDACTED ? typeOf(body) : undefined;
  return { headers: type === undefined ? headers : [...headers, ["content-type", type]], body };
}

/** Value that the filters of LangChain's tests give to all headers, including the content type. */
const REDACTED = "**REDACTED**";

/** Detects the content type of a body whose header was redacted: JSON or events. */
function typeOf(body: Uint8Array): string | undefined {
  const text = decodeText(body);
  if (tryParseJson(text) !== undefined) return JSON_TYPE[1];
  return /^(?:event|data|id|retry)?:/.test(text.trimStart()) ? "text/event-stream" : undefined;
}

function writtenBody(message: FileTree | undefined): Uint8Array | string {
  // vcrpy before version 6 stored replies of httpx as `content`; some versions stored binary ones as base64.
  const content = getTextAt(message, "content");
  const isBase64 = getAt(message, "base64encoded") === true;
  if (content !== undefined && isBase64) return fromBase64(content);
  const body = getAt(message, "body") ?? getAt(message, "content");
  // A map with these members is a text and its encoding; any other map is parsed JSON.
  const wrapped = ["string", "base64_string"].some((name) => getAt(body, name) !== undefined);
  return wrapped ? readEncodedText(body) : readBody(body);
}

/** Writes a parsed value as JSON; a string gets its quotes back. */
function parsedBody(parsed: FileTree): Uint8Array {
  return typeof parsed === "string" ? encodeUtf8(JSON.stringify(parsed)) : readBody(parsed);
}
