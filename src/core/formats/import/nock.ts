import { localize } from "../../base/localize.ts";
import type { WireHeaders } from "../../call/call.ts";
import { decodeUtf8, joinBytes } from "../../base/wire/text.ts";
import { findUnknownField } from "./body-fields.ts";
import { JSON_TYPE, withType, type ImportedEntry, findHeader, readHeaders } from "./found.ts";
import {
  getAt,
  readBody,
  getFirstAt,
  fromHex,
  isObject,
  isValue,
  listItems,
  listMembers,
  getTextAt,
  type FileTree,
  describeNoStatus,
  readStatus,
} from "./tree.ts";

/**
 * Reads the definitions that nock's recorder writes with `output_objects`, and those of nock's back. A compressed or
 * binary reply is a list of its chunks in hexadecimal. Source: nock's README, "recording", and its definitions.
 */
export function readNock(tree: FileTree): readonly ImportedEntry[] {
  return listItems(tree).map((one, index) => definition(one, `definition ${index + 1}`));
}

export function isNock(tree: FileTree): boolean {
  const [first] = listItems(tree);
  return getTextAt(first, "scope") !== undefined && getAt(first, "path") !== undefined;
}

function definition(one: FileTree, place: string): ImportedEntry {
  const [scope, path] = [getTextAt(one, "scope"), getTextAt(one, "path")];
  if (scope === undefined)
    return { place, skipped: localize("has no scope, so that its address is unknown") };
  if (path === undefined)
    return { place, skipped: localize("matches its path by a pattern, so that its request is unknown") };
  const unknown = findUnknownField(one, ["responseIsBinary"]);
  if (unknown !== undefined) return { place, skipped: unknown };
  const request = getAt(one, "body");
  if (hasPattern(request))
    return { place, skipped: localize("matches its body by a pattern, so that its request is unknown") };
  const own = readHeaders(getAt(one, "reqheaders"));
  const headers = readHeaders(getFirstAt(one, ["rawHeaders", "headers", "responseHeaders"]));
  const reply = getAt(one, "response");
  const chunks = joinedChunks(one, headers);
  const status = readStatus(one, ["status", "statusCode", "reply"]);
  if (status === "unreadable") return { place, skipped: describeNoStatus() };
  return {
    place,
    request: {
      method: (getTextAt(one, "method") ?? "GET").toUpperCase(),
      url: `${scope.replace(/:(?:443|80)$/, "").replace(/\/+$/, "")}${path}`,
      headers: isValue(request) ? withType(own, JSON_TYPE) : own,
      body: requestBody(request),
    },
    reply: {
      // Without a status, nock answers with 200 (`lib/scope.js`).
      status: status === "absent" ? 200 : status,
      headers: isValue(reply) && chunks === undefined ? withType(headers, JSON_TYPE) : headers,
      body: chunks ?? readBody(reply),
    },
  };
}

/** Reads a request body. nock writes one that is not UTF-8 in hexadecimal. Source: `lib/recorder.js`, nock 14. */
function requestBody(body: FileTree | undefined): Uint8Array {
  const bytes = typeof body === "string" ? fromHex(body) : undefined;
  return bytes !== undefined && decodeUtf8(bytes) === undefined ? bytes : readBody(body);
}

/** Whether a body contains a pattern, which people write in JSON as a text between slashes or as an object `{regex}`. */
function hasPattern(body: FileTree | undefined): boolean {
  if (typeof body === "string") return body === "*" || /^\/.+\/[dgimsuvy]*$/s.test(body);
  if (isObject(body)) {
    const members = listMembers(body);
    return members.some(([name, value]) => (members.length === 1 && name === "regex") || hasPattern(value));
  }
  return listItems(body).some(hasPattern);
}

/** Joins hexadecimal chunks. Only an encoded or binary reply has chunks; other lists are JSON. */
function joinedChunks(one: FileTree, headers: WireHeaders): Uint8Array | undefined {
  const reply = getAt(one, "response");
  const isEncoded =
    findHeader(headers, "content-encoding") !== undefined || getAt(one, "responseIsBinary") === true;
  if (!isEncoded) return undefined;
  const chunks =
    typeof reply === "string" ? [reply] : listItems(reply).map((chunk) => getTextAt(chunk) ?? "-");
  const bytes = chunks.map(fromHex).filter((piece) => piece !== undefined);
  return chunks.length === 0 || bytes.length < chunks.length ? undefined : joinBytes(bytes);
}
