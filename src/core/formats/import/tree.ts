import { localize } from "../../base/localize.ts";
import { type JsonNumber, type JsonTree, writeJson } from "../../base/json/json-tree.ts";
import { encodeUtf8, decodeText, decodeUtf8 } from "../../base/wire/text.ts";
import { decodeBase64, encodeBase64 } from "../../base/base64.ts";

/** Content of a file of recordings in JSON or YAML. Only YAML has bytes. */
export type FileTree =
  | null
  | boolean
  | string
  | JsonNumber
  | FileBytes
  | readonly FileTree[]
  | { readonly members: readonly (readonly [name: string, value: FileTree])[] };

export interface FileBytes {
  readonly bytes: Uint8Array;
}

/** Returns the value at a path of names; undefined if there is none. */
export function getAt(tree: FileTree | undefined, ...names: readonly string[]): FileTree | undefined {
  let value = tree;
  for (const name of names) value = listMembers(value).find(([key]) => key === name)?.[1];
  return value;
}

/** Returns the value of the first of several names that is present. */
export function getFirstAt(tree: FileTree | undefined, names: readonly string[]): FileTree | undefined {
  for (const name of names) {
    const found = getAt(tree, name);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

export function listMembers(tree: FileTree | undefined): readonly (readonly [string, FileTree])[] {
  return typeof tree === "object" && tree !== null && "members" in tree ? tree.members : [];
}

export function isObject(tree: FileTree | undefined): boolean {
  return typeof tree === "object" && tree !== null && "members" in tree;
}

/** Returns the elements of a list; none for any other value. */
export function listItems(tree: FileTree | undefined): readonly FileTree[] {
  return Array.isArray(tree) ? (tree as readonly FileTree[]) : [];
}

/** Returns a text, even if it is stored as bytes (Python) or as a number. */
export function getTextAt(tree: FileTree | undefined, ...names: readonly string[]): string | undefined {
  const value = getAt(tree, ...names);
  if (typeof value === "string") return value;
  if (isBytes(value)) return decodeText(value.bytes);
  return isNumber(value) ? value.number : undefined;
}

/** Returns a number, even if it is stored as text. */
export function readTreeNumber(tree: FileTree | undefined, ...names: readonly string[]): number | undefined {
  const text = getTextAt(tree, ...names);
  const number = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

export function isBytes(tree: FileTree | undefined): tree is FileBytes {
  return typeof tree === "object" && tree !== null && "bytes" in tree;
}

function isNumber(tree: FileTree | undefined): tree is JsonNumber {
  return typeof tree === "object" && tree !== null && "number" in tree;
}

/** Writes a tree as JSON; bytes as text, or as base64 if they are not UTF-8. */
export const writeTreeAsJson = (tree: FileTree): string => writeJson(asJson(tree));

function asJson(tree: FileTree): JsonTree {
  if (typeof tree !== "object" || tree === null || isNumber(tree)) return tree;
  if (isBytes(tree)) return decodeUtf8(tree.bytes) ?? encodeBase64(tree.bytes);
  if ("members" in tree)
    return { members: tree.members.map(([name, value]) => [name, asJson(value)] as const) };
  return tree.map(asJson);
}

/**
 * Returns a stored body as bytes: text and bytes unchanged, a tree as JSON. A recorder that stores a tree loses only the
 * white space.
 */
export function readBody(tree: FileTree | undefined): Uint8Array {
  if (tree === undefined || tree === null) return new Uint8Array(0);
  if (isBytes(tree)) return tree.bytes;
  return encodeUtf8(typeof tree === "string" ? tree : writeTreeAsJson(tree));
}

/** Whether a body is stored as a value instead of as text, and so was JSON. */
export const isValue = (tree: FileTree | undefined): boolean => isObject(tree) || Array.isArray(tree);

/** Decodes base64 with or without white space; returns the UTF-8 of any other text. */
export const fromBase64 = (text: string): Uint8Array =>
  decodeBase64(text.replaceAll(/\s/g, "")) ?? encodeUtf8(text);

/** Decodes hexadecimal digits; returns undefined for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
}

/** The status of a reply in a file. */
export type StatusReading = number | "absent" | "unreadable";

/**
 * Reads the status from the first of these names that is present: a number, digits, a status line, or an object with a
 * `code`. Never guesses: an unreadable status is not 200.
 */
export function readStatus(
  message: FileTree | undefined,
  names: readonly string[] = ["status", "status_code", "statusCode", "code"],
): StatusReading {
  for (const name of names) {
    const value = getAt(message, name);
    if (value === undefined || value === null) continue;
    const status = isObject(value)
      ? readTreeNumber(value, "code")
      : (readTreeNumber(value) ?? statusOfLine(getTextAt(value)));
    return status !== undefined && Number.isInteger(status) ? status : "unreadable";
  }
  return "absent";
}

/** Reads the code of a status line with or without an HTTP version: "200 OK". */
function statusOfLine(text: string | undefined): number | undefined {
  const code = /^(?:HTTP\/\d(?:\.\d)? )?(\d{3})(?: |$)/.exec(text ?? "")?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Reason for skipping a call whose reply has no readable status, as the end of a sentence about the call. */
export const describeNoStatus = (): string =>
  localize("has a reply whose status cannot be read, so that it may be an error");
