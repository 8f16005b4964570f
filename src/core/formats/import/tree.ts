import { type JsonNumber, type JsonTree, writeJson } from "../../base/json/json-tree.ts";
import { bytesOf, textOf, utf8 } from "../../base/wire/text.ts";
import { decodeBase64, encodeBase64 } from "../../base/base64.ts";

/** What a file of recordings says, whatever it is written in: JSON, and bytes where YAML has them. */
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

/** The value under a name; undefined where the tree is no object or has no such member. */
export function at(tree: FileTree | undefined, ...names: readonly string[]): FileTree | undefined {
  let value = tree;
  for (const name of names) value = membersOf(value).find(([key]) => key === name)?.[1];
  return value;
}

/** The first of several names under which something may stand. */
export function firstAt(tree: FileTree | undefined, names: readonly string[]): FileTree | undefined {
  for (const name of names) {
    const found = at(tree, name);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

export function membersOf(tree: FileTree | undefined): readonly (readonly [string, FileTree])[] {
  return typeof tree === "object" && tree !== null && "members" in tree ? tree.members : [];
}

export function isObject(tree: FileTree | undefined): boolean {
  return typeof tree === "object" && tree !== null && "members" in tree;
}

/** The elements of a list; none of anything else. */
export function itemsOf(tree: FileTree | undefined): readonly FileTree[] {
  return Array.isArray(tree) ? (tree as readonly FileTree[]) : [];
}

/** A text, also one that was written as bytes (Python) or as a number. */
export function textAt(tree: FileTree | undefined, ...names: readonly string[]): string | undefined {
  const value = at(tree, ...names);
  if (typeof value === "string") return value;
  if (isBytes(value)) return textOf(value.bytes);
  return isNumber(value) ? value.number : undefined;
}

/** A number, also one that was written as text; undefined for anything else. */
export function numberAt(tree: FileTree | undefined, ...names: readonly string[]): number | undefined {
  const text = textAt(tree, ...names);
  const number = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

export function isBytes(tree: FileTree | undefined): tree is FileBytes {
  return typeof tree === "object" && tree !== null && "bytes" in tree;
}

function isNumber(tree: FileTree | undefined): tree is JsonNumber {
  return typeof tree === "object" && tree !== null && "number" in tree;
}

/** A tree as JSON; bytes, which JSON has not, as the text that they are, else as base64. */
export const jsonText = (tree: FileTree): string => writeJson(asJson(tree));

function asJson(tree: FileTree): JsonTree {
  if (typeof tree !== "object" || tree === null || isNumber(tree)) return tree;
  if (isBytes(tree)) return utf8(tree.bytes) ?? encodeBase64(tree.bytes);
  if ("members" in tree)
    return { members: tree.members.map(([name, value]) => [name, asJson(value)] as const) };
  return tree.map(asJson);
}

/**
 * A body as recorders keep it: text and bytes as they are, a tree as JSON, nothing as no bytes. Whoever kept a tree
 * has lost the white space; the values are the same.
 */
export function bodyOf(tree: FileTree | undefined): Uint8Array {
  if (tree === undefined || tree === null) return new Uint8Array(0);
  if (isBytes(tree)) return tree.bytes;
  return bytesOf(typeof tree === "string" ? tree : jsonText(tree));
}

/** Whether a body was kept as a value instead of as its text, so that it is JSON by all accounts. */
export const isValue = (tree: FileTree | undefined): boolean => isObject(tree) || Array.isArray(tree);

/** The bytes of base64, which may have blanks in it; of any other text its own. */
export const fromBase64 = (text: string): Uint8Array =>
  decodeBase64(text.replaceAll(/\s/g, "")) ?? bytesOf(text);

/** The bytes of an even number of hexadecimal digits; undefined for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
}

/** What a file says of the status of a reply. */
export type SaidStatus = number | "unsaid" | "unreadable";

/**
 * The status under the first of these names that is there: a number, a text of digits, a status line, or an object with
 * a `code`.
 * It is never guessed: what is there and cannot be read as a status is no 200.
 */
export function statusIn(
  message: FileTree | undefined,
  names: readonly string[] = ["status", "status_code", "statusCode", "code"],
): SaidStatus {
  for (const name of names) {
    const said = at(message, name);
    if (said === undefined || said === null) continue;
    const status = isObject(said) ? numberAt(said, "code") : (numberAt(said) ?? statusOfLine(textAt(said)));
    return status !== undefined && Number.isInteger(status) ? status : "unreadable";
  }
  return "unsaid";
}

/** The code of a status line, with its HTTP version or without: "200 OK". */
function statusOfLine(text: string | undefined): number | undefined {
  const code = /^(?:HTTP\/\d(?:\.\d)? )?(\d{3})(?: |$)/.exec(text ?? "")?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Why a reply without a known status is left out, as the end of a sentence about its call. */
export const NO_STATUS = "has a reply whose status cannot be read, so that it may be an error";
