import { localize } from "../../base/localize.ts";
import type { WireHeaders } from "../../call/call.ts";
import { tryParseJson, tryParseJsonOutline } from "../../base/json/json-parse.ts";
import { encodeUtf8, joinBytes } from "../../base/wire/text.ts";
import { chooseFraming } from "../../base/wire/framing.ts";
import { decodeBinary, encodeLatin1, explainEncoding, findUnknownField, undoLatin1 } from "./body-fields.ts";
import { findHeader, readOwnMembers, withType, type ImportedEntry, readHeaders } from "./found.ts";
import { getAt, fromBase64, fromHex, listItems, readTreeNumber, getTextAt, type FileTree } from "./tree.ts";

/**
 * Reads an HTTP archive of browsers, proxies, and Polly.JS, which stores a compressed body as a list of its chunks.
 * Playwright's `routeFromHAR` writes bodies to files beside the archive, whose names are in `_file`.
 * Source: the HAR 1.2 specification, @pollyjs/persister and its adapters, Playwright 1.55.
 */
export function* readHar(tree: FileTree): Generator<ImportedEntry> {
  let index = 0;
  for (const one of entriesOf(tree)) yield entry(one, `entry ${(index += 1)}`);
}

/** The beginning of an archive. */
export const HAR_BEGINNING = /^\s*\{\s*"log"\s*:\s*\{/;

/**
 * Reads an archive without its entries, which it keeps as they are; undefined for invalid JSON. @param binary the UTF-8 of
 * the file, one character per byte, which takes half the memory of its text
 */
export const readHarOutline = (binary: string): FileTree | undefined =>
  tryParseJsonOutline(binary, ENTRY_DEPTH);

/** The root is 1, `log` 2, and `entries` 3. */
const ENTRY_DEPTH = 3;

function* entriesOf(tree: FileTree): Generator<FileTree> {
  for (const one of listItems(getAt(tree, "log", "entries")))
    yield typeof one === "string" ? (tryParseJson(decodeBinary(one)) ?? null) : one;
}

export const isHar = (tree: FileTree): boolean => Array.isArray(getAt(tree, "log", "entries"));

export function isPolly(tree: FileTree): boolean {
  return isHar(tree) && /polly/i.test(getTextAt(tree, "log", "creator", "name") ?? "");
}

function entry(one: FileTree, place: string): ImportedEntry {
  const [request, response] = [getAt(one, "request"), getAt(one, "response")];
  const url = getTextAt(request, "url");
  if (url === undefined) return { place, skipped: localize("has no request with an address") };
  if (/^wss?:/i.test(url) || getAt(one, "_webSocketMessages") !== undefined)
    return { place, skipped: localize("is a WebSocket connection, not a call over HTTP") };
  if (getTextAt(request, "method")?.toUpperCase() === "OPTIONS")
    return { place, skipped: localize("is a browser's CORS preflight, not a call") };
  const status = readTreeNumber(response, "status") ?? 0;
  if (status === 0) return { place, skipped: localize("has no reply, because the call was aborted") };
  const content = getAt(response, "content");
  const [requestFile, replyFile] = [fileOf(getAt(request, "postData")), fileOf(content)];
  const body = explainUnreadableBody(content) ?? (replyFile === undefined ? contentBody(content) : NO_BODY);
  if (body === undefined) return { place, skipped: localize("has a reply whose body is not in the file") };
  const requestBody =
    explainUnreadableBody(getAt(request, "postData")) ??
    (requestFile === undefined ? postBody(request) : NO_BODY);
  if (requestBody === undefined)
    return { place, skipped: localize("has a request whose body is not in the file") };
  if (typeof body === "string") return { place, skipped: body };
  if (typeof requestBody === "string") return { place, skipped: requestBody };
  const headers = withBodyType(readHeaders(getAt(response, "headers")), getTextAt(content, "mimeType"));
  const type = findHeader(headers, "content-type") ?? "";
  const isMisread =
    chooseFraming(type) !== undefined && !/charset/i.test(type) && getAt(one, "_tapedeck") === undefined;
  return {
    place,
    request: {
      method: (getTextAt(request, "method") ?? "GET").toUpperCase(),
      url,
      headers: withBodyType(
        readHeaders(getAt(request, "headers")),
        getTextAt(request, "postData", "mimeType"),
      ),
      body: requestBody,
      bodyFile: requestFile,
    },
    reply: { status, headers, body: isMisread ? undoLatin1(body) : body, bodyFile: replyFile },
    recordedAt: getTextAt(one, "startedDateTime"),
    ...readOwnMembers(getAt(one, "_tapedeck")),
  };
}

const NO_BODY = new Uint8Array(0);

/** Returns the name of the file that has the body in place of the archive. */
const fileOf = (kept: FileTree | undefined): string | undefined =>
  getAt(kept, "text") === undefined ? getTextAt(kept, "_file") : undefined;

/** Adds the body's type if the headers lack a content type. Browsers write "x-unknown" for no type. */
function withBodyType(headers: WireHeaders, mimeType: string | undefined): WireHeaders {
  return !mimeType || mimeType === "x-unknown" ? headers : withType(headers, ["content-type", mimeType]);
}

/** Fields of a body that this file reads, or that have no effect: `compression` is the number of saved bytes. */
const KNOWN = ["encoding", "_encoding", "_isBinary", "_file", "compression"];
const ENCODINGS = /^(?:base64|hex|utf-?8)$/i;

/**
 * Returns why the body is not in the archive or cannot be read, as the end of a sentence about its call. Undefined if the
 * archive holds the body or marks it as absent.
 */
function explainUnreadableBody(kept: FileTree | undefined): string | undefined {
  const unknown = findUnknownField(kept, KNOWN);
  if (unknown !== undefined) return unknown;
  const encoding = getTextAt(kept, "encoding") ?? getTextAt(kept, "_encoding") ?? "";
  return encoding === "" || ENCODINGS.test(encoding) ? undefined : explainEncoding(encoding);
}

/** Reads a request body; returns undefined if the archive lacks it. Browsers omit the bodies of forms with files. */
function postBody(request: FileTree | undefined): Uint8Array | undefined {
  const data = getAt(request, "postData");
  const text = getTextAt(data, "text");
  const length = Number(findHeader(readHeaders(getAt(request, "headers")), "content-length") ?? 0);
  const isMultipart = /^multipart\//i.test(getTextAt(data, "mimeType") ?? "");
  if (text !== undefined) {
    const encoding = getTextAt(data, "encoding") ?? getTextAt(data, "_encoding");
    // Chromium replaces the bytes of files in a form, if it does not omit the body.
    if (isMultipart && text.includes("\ufffd")) return undefined;
    // mitmproxy 12 decodes a body of unknown charset as ISO-8859-1, which only its length shows.
    const isLatin1 = encoding === undefined && text.length === length;
    return (isLatin1 ? encodeLatin1(text) : undefined) ?? bytesFrom(text, encoding);
  }
  const params = listItems(getAt(data, "params"));
  const isForm = params.length > 0 && !isMultipart;
  if (!isForm && (params.length > 0 || length > 0 || (readTreeNumber(request, "bodySize") ?? 0) > 0))
    return undefined;
  const pairs = params.map((param) =>
    [getTextAt(param, "name") ?? "", getTextAt(param, "value") ?? ""].map(encodeURIComponent).join("="),
  );
  return encodeUtf8(pairs.join("&"));
}

/** Reads a reply body; returns undefined if the archive lacks it. */
function contentBody(content: FileTree | undefined): Uint8Array | undefined {
  const text = getTextAt(content, "text");
  if (text === undefined) return (readTreeNumber(content, "size") ?? 0) > 0 ? undefined : new Uint8Array(0);
  const encoding =
    getTextAt(content, "encoding") ?? (getAt(content, "_isBinary") === true ? "hex" : undefined);
  return chunks(text, encoding) ?? bytesFrom(text, encoding);
}

function bytesFrom(text: string, encoding: string | undefined): Uint8Array {
  if (encoding?.toLowerCase() === "base64") return fromBase64(text);
  if (encoding?.toLowerCase() === "hex") return fromHex(text) ?? encodeUtf8(text);
  return encodeUtf8(text);
}

/** Joins the chunks of a binary body, which Polly.JS stores as a JSON list. */
function chunks(text: string, encoding: string | undefined): Uint8Array | undefined {
  if (encoding === undefined || !text.startsWith("[")) return undefined;
  const list = tryParseJson(text);
  if (!Array.isArray(list) || !list.every((chunk) => typeof chunk === "string")) return undefined;
  return joinBytes(list.map((chunk: string) => bytesFrom(chunk, encoding)));
}
