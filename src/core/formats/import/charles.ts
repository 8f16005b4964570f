import { localize } from "../../base/localize.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import { findUnknownField, undoLatin1 } from "./body-fields.ts";
import { readHeaders, type FoundMessage, type ImportedEntry } from "./found.ts";
import {
  describeNoStatus,
  fromBase64,
  getAt,
  getTextAt,
  listItems,
  readStatus,
  type FileTree,
} from "./tree.ts";

/**
 * Reads a session of Charles in JSON (`.chlsj`): a list of calls, whose binary bodies are in base64. Source: two readers
 * of these files, in Swift and Java, 2026-11.
 */
export function readCharles(tree: FileTree): readonly ImportedEntry[] {
  return listItems(tree).map((one, index) => entry(one, `call ${index + 1}`));
}

export function isCharles(tree: FileTree): boolean {
  const [first] = listItems(tree);
  return getTextAt(first, "scheme") !== undefined && getTextAt(first, "host") !== undefined;
}

function entry(one: FileTree, place: string): ImportedEntry {
  const [scheme, host] = [getTextAt(one, "scheme"), getTextAt(one, "host")];
  if (scheme === undefined || host === undefined)
    return { place, skipped: localize("has no request with an address") };
  if (getAt(one, "tunnel") === true)
    return { place, skipped: localize("is a tunnel of the proxy, whose calls it could not read") };
  const [request, reply] = [messageOf(getAt(one, "request")), messageOf(getAt(one, "response"))];
  if (typeof request === "string") return { place, skipped: request };
  if (typeof reply === "string") return { place, skipped: reply };
  const status = readStatus(getAt(one, "response"), ["status"]);
  if (typeof status !== "number") return { place, skipped: describeNoStatus() };
  const [port, query] = [getTextAt(one, "port") ?? getTextAt(one, "actualPort"), getTextAt(one, "query")];
  const url = `${scheme}://${host}${port === undefined ? "" : `:${port}`}${getTextAt(one, "path") ?? "/"}`;
  return {
    place,
    request: {
      method: (getTextAt(one, "method") ?? "GET").toUpperCase(),
      url: query === undefined ? url : `${url}?${query}`,
      ...request,
    },
    reply: { status, ...reply },
    recordedAt: getTextAt(one, "times", "start"),
  };
}

/** Reads a message, or returns why its body cannot be read. */
function messageOf(message: FileTree | undefined): FoundMessage | string {
  const body = getAt(message, "body");
  const [text, encoded] = [getTextAt(body, "text"), getTextAt(body, "encoded")];
  const unknown = findUnknownField(body, ["charset", "encoding", "encoded", "decoded"]);
  if (unknown !== undefined) return unknown;
  const bytes = text === undefined ? fromBase64(encoded ?? "") : encodeUtf8(text);
  const isMisread = text !== undefined && getTextAt(body, "charset") === undefined;
  return {
    headers: readHeaders(getAt(message, "header", "headers")),
    body: isMisread ? undoLatin1(bytes) : bytes,
  };
}
