import { explain } from "../core/base/errors.ts";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ImportedEntry } from "../core/formats/import/found.ts";
import { namesOfAttached } from "../core/formats/import/har.ts";
import { readFormat, recogniseFormat, type Format } from "../core/formats/import/formats.ts";
import { READ_LIMITS, readBytes } from "../storage/folder/read-file.ts";
import type { FileTree } from "../core/formats/import/tree.ts";
import { attachedInFolder, readAttached, unzipHar, type ZippedHar } from "./read-attached.ts";
import { isJsonFault, jsonOrNone, parseJson } from "../core/base/json/json-parse.ts";

/** Content of a file. Its calls are read one after another, on demand. */
export interface ReadableFile {
  readonly format: Format;
  readonly found: Iterable<ImportedEntry> | AsyncIterable<ImportedEntry>;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Why a file cannot be imported, as the end of a sentence about it. */
export interface UnreadableFile {
  readonly unreadable: string;
  /** Whether reading was stopped: it took too long, or too much memory. */
  readonly isLimited?: true;
}

/** @param path absolute */
export async function readImportFile(
  path: string,
  from: Format | undefined,
): Promise<(ReadableFile & { readonly found: Iterable<ImportedEntry> }) | UnreadableFile> {
  const file = await readPacked(path);
  if ("unreadable" in file) return file;
  const content = await readFileTree(file.text);
  if ("unreadable" in content) return content;
  const { tree } = content;
  const format = from ?? recogniseFormat(tree);
  if (format === undefined) return { unreadable: "holds no recordings in a format that is known here" };
  const hasAttached = format === "har" && file.text.includes('"_file"');
  const attached = await readAttached(hasAttached ? namesOfAttached(tree) : [], file.read);
  const read = (): Iterable<ImportedEntry> => readFormat(tree, format, { fileName: file.fileName, attached });
  return isEmpty(read())
    ? { unreadable: `holds nothing in the format ${format}` }
    : { format, found: read(), changedAt: file.changedAt };
}

function isEmpty(found: Iterable<unknown>): boolean {
  const isDone = found[Symbol.iterator]().next().done;
  return isDone === true;
}

interface UnpackedFile extends ZippedHar {
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** The text of a file that may be packed. */
async function readPacked(path: string): Promise<UnpackedFile | { readonly unreadable: string }> {
  try {
    const { size, mtimeMs: changedAt } = await stat(path);
    if (size > READ_LIMITS.data) return { unreadable: "is larger than 256 MiB" };
    const packed = await readBytes(path, { links: "followed" });
    if (packed.subarray(0, 4).toString("latin1") === ZIP) {
      const zipped = unzipHar(packed);
      return typeof zipped === "string" ? { unreadable: zipped } : { ...zipped, changedAt };
    }
    const text = new TextDecoder("utf-8", { fatal: true }).decode(unpack(packed));
    return { text, fileName: basename(path), read: attachedInFolder(path), changedAt };
  } catch (error) {
    if (error instanceof TypeError) return { unreadable: "is no text in UTF-8" };
    return { unreadable: `cannot be read: ${explain(error)}` };
  }
}

/** The first bytes of a zip archive, in which Playwright keeps an HTTP archive and the bodies beside it. */
const ZIP = "PK\u0003\u0004";

/** Cassettes may be packed (LangChain's `.yaml.gz`): the first bytes tell. @throws where they lie, or it is too large. */
function unpack(bytes: Uint8Array): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? gunzipSync(bytes, { maxOutputLength: READ_LIMITS.data }) : bytes;
}

/** What a file holds; or why it cannot be read, as the end of a sentence about it. */
type FileContent = { readonly tree: FileTree } | { readonly unreadable: string };

/** Reads JSON, lines of JSON (as a list of their values), and YAML, whatever the file is called. */
async function readFileTree(text: string): Promise<FileContent> {
  const own = text.replace(/^\ufeff/, "");
  if (own.trim() === "") return { unreadable: "is empty" };
  const looksLikeJson = /^\s*[[{]/.test(own);
  if (!looksLikeJson) return readAsYaml(own);
  try {
    return { tree: parseJson(own) };
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    // Lines of JSON fail where the second one begins; a flow map of YAML is rare, but is YAML.
    const lines = readLines(own);
    if (lines !== undefined) return { tree: lines };
    const asYaml = own.length > LONGEST_FLOW_MAP ? undefined : await readAsYaml(own);
    return asYaml !== undefined && "tree" in asYaml ? asYaml : { unreadable: `is no JSON: ${error.message}` };
  }
}

/** Longer broken JSON is not tried as YAML, in characters: that takes a minute and 2 GB for 30 MB. */
const LONGEST_FLOW_MAP = 1_000_000;

/** Undefined where the first line is no JSON; a later one that is none stands as a text. */
function readLines(text: string): FileTree | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const values = lines.map((line) => jsonOrNone(line));
  return values[0] === undefined || values.length < 2 ? undefined : values.map((value) => value ?? null);
}

/** The reader is a file of its own beside the program: most commands never need it. */
async function readAsYaml(text: string): Promise<FileContent> {
  const { readYaml } = await import("./read-yaml.ts");
  try {
    const tree = readYaml(text);
    return typeof tree === "object" && tree !== null
      ? { tree }
      : { unreadable: "is neither JSON nor YAML of recordings" };
  } catch (error) {
    return { unreadable: `is no YAML: ${explain(error)}` };
  }
}
