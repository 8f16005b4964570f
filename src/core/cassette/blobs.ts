import { localize } from "../base/localize.ts";
import { isJsonNumber, isJsonObject, mapStrings, type JsonTree } from "../base/json/json-tree.ts";
import { decodeUtf8, encodeUtf8 } from "../base/wire/text.ts";
import { decodeBase64, encodeBase64 } from "../base/base64.ts";
import {
  createFileFault,
  createFileFaultAt,
  readInteger,
  readMembers,
  requireMember,
  readString,
  type FilePlace,
} from "./file-reader.ts";

/** SHA-256 of bytes or of a text's UTF-8, as lower-case hex. */
export type HashBytes = (bytes: Uint8Array) => string;

/** Binary content up to this size stays in the file. */
export const INLINE_BYTES = 65_536;

/** Returns the path of a blob, relative to the cassette folder. The recording contains this path instead of the content. */
export const getBlobPath = (sha256: string): string => `blobs/${sha256}`;

/** The large binaries that are taken out of a file. */
export interface Extraction {
  readonly sha256: HashBytes;
  /** Content for `blobs/<sha256>`, by that name. */
  readonly blobs: Map<string, Uint8Array>;
  /** The rows of the file's table, by JSON pointer. */
  readonly table: [pointer: string, row: JsonTree][];
}

/** Takes large base64 values (plain or data: URLs) out of a value in a file, which is at `pointer`. */
export function takeOutBlobs(tree: JsonTree, pointer: string, extraction: Extraction): JsonTree {
  if (!hasLongText(tree)) return tree;
  return mapStrings(tree, pointer, (place, text) =>
    text.length > INLINE_BYTES ? blobOr(text, place, extraction) : text,
  );
}

function hasLongText(tree: JsonTree): boolean {
  if (typeof tree === "string") return tree.length > INLINE_BYTES;
  if (typeof tree !== "object" || tree === null || isJsonNumber(tree)) return false;
  return isJsonObject(tree) ? tree.members.some(([, value]) => hasLongText(value)) : tree.some(hasLongText);
}

function blobOr(text: string, pointer: string, { sha256, blobs, table }: Extraction): string {
  const prefix = /^data:[^,"]{0,200};base64,/.exec(text)?.[0] ?? "";
  const bytes = decodeBase64(text.slice(prefix.length));
  if (bytes === undefined || bytes.byteLength <= INLINE_BYTES) return text;
  const hash = sha256(bytes);
  blobs.set(hash, bytes);
  const row: [string, JsonTree][] = [
    ["sha256", hash],
    ["bytes", { number: String(bytes.byteLength) }],
  ];
  table.push([pointer, { members: prefix === "" ? row : [...row, ["prefix", prefix]] }]);
  return prefix + getBlobPath(hash);
}

/** The content of a blob; undefined where there is none. */
export type ReadBlob = (sha256: string) => Uint8Array | undefined;

interface Row {
  readonly place: FilePlace;
  readonly sha256: string;
  readonly bytes: number;
  readonly prefix: string;
}

export interface BlobSource {
  /** Reads large binaries; without it, a file that names one cannot be read. */
  readonly readBlob?: ReadBlob;
  /** Detects blobs whose content does not match their name. */
  readonly sha256?: HashBytes;
}

/**
 * Restores blobs in members of a file before anything is read from them, so that every field that `takeOutBlobs` can
 * extract from gets its content back.
 * @throws JsonFault if `table` is not a table of blobs, or names a field that is missing or has another value.
 */
export function withBlobs<T extends readonly FilePlace[]>(places: T, table: FilePlace, source: BlobSource): T;
export function withBlobs(
  places: readonly FilePlace[],
  table: FilePlace,
  source: BlobSource,
): readonly FilePlace[] {
  const rows = new Map([...readMembers(table)].map(([pointer, place]) => [pointer, rowAt(place)]));
  const filled = places.map((place) => {
    const tree = mapStrings(place.tree, `/${place.step}`, (pointer, found) => {
      const row = rows.get(pointer);
      if (row === undefined) return found;
      rows.delete(pointer);
      if (found !== row.prefix + getBlobPath(row.sha256))
        throw createFileFault(row.place, localize("refers to a field with another value"));
      return row.prefix + encodeBase64(blobContent(row, source));
    });
    return { ...place, tree };
  });
  const [left] = rows.values();
  if (left !== undefined)
    throw createFileFault(left.place, localize("refers to a field that is not in the file"));
  return filled;
}

function blobContent({ place, sha256, bytes }: Row, source: BlobSource): Uint8Array {
  const path = getBlobPath(sha256);
  const content = source.readBlob?.(sha256);
  if (content === undefined)
    throw createFileFault(place, localize("refers to {0}, which does not exist", path));
  const isWhole = (found: Uint8Array): boolean =>
    found.byteLength === bytes && (source.sha256 === undefined || source.sha256(found) === sha256);
  if (isWhole(content)) return content;
  if (isLfsPointer(content))
    throw createFileFault(place, localize("refers to {0}, which is {1}", path, describeLfsPointer()));
  const restored = convertLineEnds(content).find(isWhole);
  if (restored === undefined)
    throw createFileFault(place, localize("refers to {0}, which has other content", path));
  return restored;
}

/** Undoes the change of a text by git on Windows, whose `core.autocrlf` writes CRLF in folders and LF in commits. */
function convertLineEnds(content: Uint8Array): readonly Uint8Array[] {
  const text = decodeUtf8(content)?.replaceAll("\r\n", "\n");
  return text === undefined ? [] : [text, text.replaceAll("\n", "\r\n")].map(encodeUtf8);
}

/** Describes the placeholder of a file in a clone without Git LFS objects. */
export const describeLfsPointer = (): string =>
  localize("a Git LFS pointer: run git lfs pull to get the file");

export function isLfsPointer(file: string | Uint8Array): boolean {
  const begun = typeof file === "string" ? file : (decodeUtf8(file.subarray(0, 64)) ?? "");
  return begun.startsWith("version https://git-lfs.github.com/spec/");
}

function rowAt(place: FilePlace): Row {
  const members = readMembers(place);
  const hash = requireMember(place, members, "sha256");
  const sha256 = readString(hash);
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw createFileFaultAt(hash, localize("this is not a SHA-256 of 64 lower-case hex digits"));
  const prefix = members.get("prefix");
  const bytes = readInteger(requireMember(place, members, "bytes"), 0);
  return { place, sha256, bytes, prefix: prefix ? readString(prefix) : "" };
}
