import { decodeBase64 } from "../../cassette/base64.ts";
import { bytesOf } from "../../wire/text.ts";
import { JSON_TYPE, ownWords, withType, type Found, type FoundMessage } from "./found.ts";
import { headersOf } from "./headers.ts";
import { at, bodyOf, firstAt, isObject, itemsOf, numberAt, textAt, type FileTree } from "./tree.ts";

/**
 * A VCR cassette: Python's vcrpy and pytest-recording (`interactions`), Ruby's VCR (`http_interactions`), Go's and
 * PHP's (a list alone), in YAML or JSON. Bodies may be kept as parsed values (`parsed_body`).
 */
export function readVcr(tree: FileTree): readonly Found[] {
  const interactions = firstAt(tree, ["interactions", "http_interactions"]) ?? tree;
  return itemsOf(interactions).map((one, index) => interaction(one, `interaction ${index + 1}`));
}

/** Whether a file is such a cassette, by its content. */
export function isVcr(tree: FileTree): boolean {
  if (isObject(tree)) return Array.isArray(firstAt(tree, ["interactions", "http_interactions"]));
  const [first] = itemsOf(tree);
  return (
    isObject(at(first, "request")) &&
    isObject(at(first, "response")) &&
    urlOf(at(first, "request")) !== undefined
  );
}

function interaction(one: FileTree, place: string): Found {
  const [request, response] = [at(one, "request"), at(one, "response")];
  if (textAt(one, "kind") !== undefined && at(one, "data") !== undefined)
    return { place, skipped: "is a WebSocket message, not a call over HTTP" };
  if (firstAt(one, ["request_sample", "request_stream"]) !== undefined)
    return { place, skipped: "is a gRPC call, not one over HTTP" };
  const url = urlOf(request);
  if (url === undefined) return { place, skipped: "has no request with an address" };
  const status = statusOf(response);
  if (status === undefined) return { place, skipped: "has no reply with a status" };
  return {
    place,
    request: { method: methodOf(request), url, ...messageOf(request) },
    reply: { status, ...messageOf(response) },
    recordedAt: textAt(one, "recorded_at"),
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

/** `{code: 200}` in Python, Ruby and PHP, 200 beside "200 OK" in Go. */
function statusOf(response: FileTree | undefined): number | undefined {
  const status = at(response, "status");
  return numberAt(status, "code") ?? numberAt(response, "code") ?? numberAt(status);
}

function messageOf(message: FileTree | undefined): FoundMessage {
  const headers = headersOf(at(message, "headers"));
  const parsed = at(message, "parsed_body");
  if (parsed !== undefined) return { headers: withType(headers, JSON_TYPE), body: parsedBody(parsed) };
  const body = at(message, "body");
  // A body that is a bare map is JSON that somebody parsed; one with these members is a text and its encoding.
  const wrapped = ["string", "base64_string"].some((name) => at(body, name) !== undefined);
  if (!wrapped) return { headers, body: bodyOf(body) };
  const base64 = textAt(body, "base64_string");
  if (base64 !== undefined)
    return { headers, body: decodeBase64(base64.replaceAll(/\s/g, "")) ?? bytesOf(base64) };
  return { headers, body: bodyOf(at(body, "string")) };
}

/** A text that was parsed from JSON is JSON again in quotes. */
function parsedBody(parsed: FileTree): Uint8Array {
  return typeof parsed === "string" ? bytesOf(JSON.stringify(parsed)) : bodyOf(parsed);
}
