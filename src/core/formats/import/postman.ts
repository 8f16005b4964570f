import { localize } from "../../base/localize.ts";
import type { WireHeaders } from "../../call/call.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import { JSON_TYPE, withType, type ImportedEntry } from "./found.ts";
import { describeNoStatus, getAt, getTextAt, isValue, listItems, readStatus, type FileTree } from "./tree.ts";

/** Reads the saved responses of a Postman collection. Source: its collection format 2.1, 2026-11. */
export function* readPostman(tree: FileTree): Generator<ImportedEntry> {
  const variables = new Map(
    listItems(getAt(tree, "variable")).map((one) => [getTextAt(one, "key"), getTextAt(one, "value")]),
  );
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, name: string) => variables.get(name.trim()) ?? whole);
  let index = 0;
  for (const item of itemsOf(tree))
    for (const saved of listItems(getAt(item, "response"))) {
      const request = getAt(saved, "originalRequest") ?? getAt(item, "request");
      yield entry(saved, request, { place: `response ${(index += 1)}`, fill });
    }
}

export const isPostman = (tree: FileTree): boolean =>
  Array.isArray(getAt(tree, "item")) && isValue(getAt(tree, "info"));

/** Lists the requests in a folder and in the folders inside it. */
function* itemsOf(folder: FileTree): Generator<FileTree> {
  for (const item of listItems(getAt(folder, "item"))) {
    yield item;
    yield* itemsOf(item);
  }
}

interface EntryContext {
  readonly place: string;
  /** Replaces the variables of the collection in a text. */
  readonly fill: (text: string) => string;
}

function entry(saved: FileTree, request: FileTree | undefined, { place, fill }: EntryContext): ImportedEntry {
  const url = getTextAt(request, "url", "raw") ?? getTextAt(request, "url");
  if (url === undefined) return { place, skipped: localize("has no request with an address") };
  const status = readStatus(saved, ["code"]);
  if (typeof status !== "number") return { place, skipped: describeNoStatus() };
  const body = requestBody(getAt(request, "body"));
  if (body === undefined) return { place, skipped: localize("has a request whose body is not in the file") };
  const isJson = getTextAt(request, "body", "options", "raw", "language") === "json";
  const headers = headersOf(getAt(request, "header"), fill);
  return {
    place,
    request: {
      method: (getTextAt(request, "method") ?? "GET").toUpperCase(),
      url: fill(url),
      headers: isJson ? withType(headers, JSON_TYPE) : headers,
      body: encodeUtf8(fill(body)),
    },
    reply: {
      status,
      headers: headersOf(getAt(saved, "header"), (text) => text),
      body: encodeUtf8(getTextAt(saved, "body") ?? ""),
    },
  };
}

/** Returns the text of a body; undefined if the collection does not have it, as that of a form with files. */
function requestBody(body: FileTree | undefined): string | undefined {
  const mode = getTextAt(body, "mode");
  if (mode === undefined) return "";
  if (mode === "raw") return getTextAt(body, "raw") ?? "";
  if (mode !== "urlencoded") return undefined;
  const pairs = fieldsOf(getAt(body, "urlencoded"));
  return pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
}

const headersOf = (list: FileTree | undefined, fill: EntryContext["fill"]): WireHeaders =>
  fieldsOf(list).map(([name, value]) => [name.toLowerCase(), fill(value)]);

/** Returns the fields that are not turned off. */
const fieldsOf = (list: FileTree | undefined): readonly (readonly [name: string, value: string])[] =>
  listItems(list)
    .filter((one) => getAt(one, "disabled") !== true)
    .map((one) => [getTextAt(one, "key") ?? "", getTextAt(one, "value") ?? ""]);
