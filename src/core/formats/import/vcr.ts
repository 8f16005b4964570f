import { findUnknownField, readEncodedText } from "./body-fields.ts";
import { jsonOrNone } from "../../base/json/json-parse.ts";
import { bytesOf, textOf } from "../../base/wire/text.ts";
import {
  JSON_TYPE,
  ownWords,
  withType,
  type ImportedEntry,
  type FoundMessage,
  headersOf,
  headerValue,
} from "./found.ts";
import {
  at,
  bodyOf,
  firstAt,
  fromBase64,
  isObject,
  itemsOf,
  textAt,
  type FileTree,
  statusIn,
} from "./tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";

/**
 * A VCR cassette: Python's vcrpy and pytest-recording (`interactions`), LangChain's (`requests` and `responses`), Ruby's
 * VCR and betamax (`http_interactions`), go-vcr's (`interactions`, the status as `code` beside its line), PHP's (a list
 * alone), in YAML or JSON. Bodies may be kept as parsed values (`parsed_body`).
 */
export function readVcr(tree: FileTree): readonly ImportedEntry[] {
  const interactions = firstAt(tree, ["interactions", "http_interactions"]) ?? pairsOf(tree) ?? tree;
  if (isInteraction(interactions)) return [interaction(interactions, "the interaction")];
  return itemsOf(interactions).map((one, index) => interaction(one, `interaction ${index + 1}`));
}

export function isVcr(tree: FileTree): boolean {
  if (isObject(tree))
    return (
      Array.isArray(firstAt(tree, ["interactions", "http_interactions"])) ||
      pairsOf(tree) !== undefined ||
      isInteraction(tree)
    );
  const [first] = itemsOf(tree);
  return (
    isObject(at(first, "request")) &&
    isObject(at(first, "response")) &&
    urlOf(at(first, "request")) !== undefined
  );
}

/** Requests and responses in two lists of the same length. Source: `CustomSerializer` of langchain-tests, 2026-11. */
function pairsOf(tree: FileTree): readonly FileTree[] | undefined {
  const [requests, responses] = [itemsOf(at(tree, "requests")), itemsOf(at(tree, "responses"))];
  if (requests.length !== responses.length || !requests.some((request) => urlOf(request) !== undefined))
    return undefined;
  return requests.map((request, index) => ({
    members: [
      ["request", request],
      ["response", responses[index] ?? null],
    ],
  }));
}

/** A file of one interaction alone, in the words that only VCR's have. */
function isInteraction(tree: FileTree): boolean {
  return at(tree, "request", "uri") !== undefined && isObject(at(tree, "response", "status"));
}

function interaction(one: FileTree, place: string): ImportedEntry {
  const [request, response] = [at(one, "request"), at(one, "response")];
  if (textAt(one, "kind") !== undefined && at(one, "data") !== undefined)
    return { place, skipped: "is a WebSocket message, not a call over HTTP" };
  if (firstAt(one, ["request_sample", "request_stream"]) !== undefined)
    return { place, skipped: "is a gRPC call, not one over HTTP" };
  const url = urlOf(request);
  if (url === undefined) return { place, skipped: "has no request with an address" };
  const status = statusIn(response, ["code", "status_code", "status"]);
  if (typeof status === "string") return { place, skipped: "has no reply with a status" };
  const [asked, answered] = [messageOf(request), messageOf(response)];
  if (typeof asked === "string") return { place, skipped: asked };
  if (typeof answered === "string") return { place, skipped: answered };
  const recordedAt = textAt(one, "recorded_at");
  return {
    place,
    request: { method: methodOf(request), url, ...asked },
    reply: { status, ...answered },
    ...pickDefined({ recordedAt }),
    ...ownWords(at(one, "tapedeck")),
  };
}

function urlOf(request: FileTree | undefined): string | undefined {
  return textAt(request, "uri") ?? textAt(request, "url");
}

/** Ruby's symbols keep their colon: `:post`. */
function methodOf(request: FileTree | undefined): string {
  return (textAt(request, "method") ?? "GET").replace(/^:/, "").toUpperCase();
}

/** Fields beside a body that say how it came, not how it is kept: go-vcr's, and the one that `writtenBody` reads. */
const HARMLESS = ["transfer_encoding", "uncompressed", "base64encoded"];

/** The message; or why its body cannot be read, as the end of a sentence about its call. */
function messageOf(message: FileTree | undefined): FoundMessage | string {
  const unknown = findUnknownField(message, HARMLESS);
  if (unknown !== undefined) return unknown;
  const said = headersOf(at(message, "headers"));
  const headers = said.filter(([, value]) => value !== REDACTED);
  const parsed = at(message, "parsed_body");
  if (parsed !== undefined) return { headers: withType(headers, JSON_TYPE), body: parsedBody(parsed) };
  const body = writtenBody(message);
  if (typeof body === "string") return body;
  const type = headerValue(said, "content-type") === REDACTED ? typeOf(body) : undefined;
  return { headers: type === undefined ? headers : [...headers, ["content-type", type]], body };
}

/** What the filters of LangChain's tests leave of every header, the content type too. */
const REDACTED = "**REDACTED**";

/** The type of a body whose header was taken out: a body alone tells JSON and events. */
function typeOf(body: Uint8Array): string | undefined {
  const text = textOf(body);
  if (jsonOrNone(text) !== undefined) return JSON_TYPE[1];
  return /^(?:event|data|id|retry)?:/.test(text.trimStart()) ? "text/event-stream" : undefined;
}

function writtenBody(message: FileTree | undefined): Uint8Array | string {
  // vcrpy before version 6 wrote a reply of httpx so; some wrote what is no text as base64.
  const content = textAt(message, "content");
  const isBase64 = at(message, "base64encoded") === true;
  if (content !== undefined && isBase64) return fromBase64(content);
  const body = at(message, "body") ?? at(message, "content");
  // A body that is a bare map is JSON that somebody parsed; one with these members is a text and its encoding.
  const wrapped = ["string", "base64_string"].some((name) => at(body, name) !== undefined);
  return wrapped ? readEncodedText(body) : bodyOf(body);
}

/** A text that was parsed from JSON is JSON again in quotes. */
function parsedBody(parsed: FileTree): Uint8Array {
  return typeof parsed === "string" ? bytesOf(JSON.stringify(parsed)) : bodyOf(parsed);
}
