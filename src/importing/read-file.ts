import { localize } from "../core/base/localize.ts";
import { explain } from "../core/base/errors.ts";
import { Buffer, isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { ImportedEntry } from "../core/formats/import/found.ts";
import { HAR_BEGINNING, readHarOutline } from "../core/formats/import/har.ts";
import { FORMATS, readFormat, recognizeFormat, type Format } from "../core/formats/import/formats.ts";
import { READ_LIMITS, readBytes } from "../storage/folder/read-file.ts";
import type { FileTree } from "../core/formats/import/tree.ts";
import { isJsonFault, tryParseJson, parseJson } from "../core/base/json/json-parse.ts";
import { joinBytes } from "../core/base/wire/text.ts";

/** Content of a file. Its calls are read one after another, on demand. */
export interface ReadableFile {
  readonly format: Format;
  readonly found: Iterable<ImportedEntry>;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Reason why a file cannot be imported, as the end of a sentence about it. */
export interface UnreadableFile {
  readonly unreadable: string;
  /** Whether its beginning has the names of a recording, although its syntax is wrong. */
  readonly isDamaged?: boolean;
}

/** Reads a file of recordings. @param path absolute */
export async function readImportFile(
  path: string,
  from: Format | undefined,
): Promise<ReadableFile | UnreadableFile> {
  const file = await readPacked(path);
  if ("unreadable" in file) return file;
  const content = await readFileTree(file.bytes);
  if ("unreadable" in content)
    return { ...content, isDamaged: LIKE_RECORDINGS.test(file.bytes.toString("latin1", 0, 4096)) };
  const { tree } = content;
  const format = from ?? recognizeFormat(tree);
  if (format === undefined)
    return {
      unreadable: localize(
        "contains no recordings in a known format ({0}): export an HTTP archive (.har) from its tool, if it can",
        FORMATS.join(", "),
      ),
    };
  const read = (): Iterable<ImportedEntry> => readFormat(tree, format);
  return isEmpty(read())
    ? { unreadable: localize("contains nothing in the format {0}", format) }
    : { format, found: read(), changedAt: file.changedAt };
}

/** Member names of each format: HAR and Polly, vcrpy and go-vcr, nock, JSON lines; and the beginning of httprr's. */
const LIKE_RECORDINGS = /\b(?:entries|interactions|scope|request)["']?:|^httprr /;

const isEmpty = (found: Iterable<unknown>): boolean => found[Symbol.iterator]().next().done === true;

interface UnpackedFile {
  /** UTF-8 without a byte order mark. */
  readonly bytes: Buffer;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Reads the text of a file, which can be compressed. */
async function readPacked(path: string): Promise<UnpackedFile | { readonly unreadable: string }> {
  try {
    const { size, mtimeMs: changedAt } = await stat(path);
    if (size > READ_LIMITS.data) return { unreadable: localize("is larger than 256 MiB") };
    const packed = await readBytes(path, { links: "followed" });
    if (packed.subarray(0, 4).toString("latin1") === ZIP)
      return { unreadable: localize("is a zip archive: unpack it first, or export an HTTP archive (.har)") };
    const bytes = asUtf8(unpack(packed));
    const hasMark = bytes.subarray(0, MARK.length).equals(MARK);
    return { bytes: bytes.subarray(hasMark ? MARK.length : 0), changedAt };
  } catch (error) {
    return { unreadable: localize("cannot be read: {0}", explain(error)) };
  }
}

/** A byte order mark. */
const MARK = Buffer.from("\ufeff");
/** Magic bytes of a zip archive. */
const ZIP = "PK\u0003\u0004";

/** Unpacks gzip (LangChain's `.yaml.gz`), recognized by its magic bytes. @throws if it is corrupt or too large */
function unpack(bytes: Buffer): Buffer {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? gunzipSync(bytes, { maxOutputLength: READ_LIMITS.data }) : bytes;
}

/** Windows PowerShell writes redirected output as UTF-16 with a byte order mark. */
function asUtf8(bytes: Buffer): Buffer {
  const encoding = UTF_16.find(({ mark }) => bytes.subarray(0, 2).equals(mark))?.name;
  try {
    return encoding === undefined
      ? bytes
      : Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}

const UTF_16 = [
  { mark: Buffer.from([0xff, 0xfe]), name: "utf-16le" },
  { mark: Buffer.from([0xfe, 0xff]), name: "utf-16be" },
] as const;

/** The beginning of mitmproxy's flows: netstrings in a dictionary. Source: mitmproxy's `io/tnetstring.py`. */
const MITMPROXY = /^\d+:\d+:\w+;/;

/** Content of a file, or the reason why it cannot be read, as the end of a sentence about it. */
type FileContent = { readonly tree: FileTree } | { readonly unreadable: string };

/** Reads JSON, lines of JSON (as a list of their values), or YAML, independent of the file's name. */
async function readFileTree(bytes: Buffer): Promise<FileContent> {
  const beginning = bytes.toString("latin1", 0, 256);
  if (HTTPRR.test(beginning)) {
    const tree = readHttprr(bytes);
    return tree === undefined ? { unreadable: localize("is an httprr trace that is cut off") } : { tree };
  }
  if (MITMPROXY.test(beginning))
    return {
      unreadable: localize(
        "has flows of mitmproxy: export them with mitmdump -nr FLOWS --set hardump=calls.har",
      ),
    };
  if (!isUtf8(bytes))
    return {
      unreadable: localize("is not UTF-8 text: export an HTTP archive (.har) from its tool, if it can"),
    };
  const isArchive = HAR_BEGINNING.test(beginning);
  const outline = isArchive ? readHarOutline(bytes.toString("latin1")) : undefined;
  if (outline !== undefined) return { tree: outline };
  // A buffer makes a text of one byte per character if it can, a `TextDecoder` always one of two.
  const text = bytes.toString("utf8");
  if (text.trim() === "") return { unreadable: localize("is empty") };
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (!looksLikeJson) return readAsYaml(text);
  try {
    return { tree: parseJson(text) };
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    // The text can also be lines of JSON, or, rarely, a flow map of YAML.
    const lines = readLines(text);
    if (lines !== undefined) return { tree: lines };
    const asYaml = text.length > LONGEST_FLOW_MAP ? undefined : await readAsYaml(text);
    return asYaml !== undefined && "tree" in asYaml
      ? asYaml
      : { unreadable: localize("is not JSON: {0}", error.message) };
  }
}

/** Maximum characters of invalid JSON to try as YAML, which takes a minute and 2 GB for 30 MB. */
const LONGEST_FLOW_MAP = 1_000_000;

/** Reads lines of JSON; returns undefined if the first line is not JSON. Later invalid lines become null. */
function readLines(text: string): FileTree | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const values = lines.map((line) => tryParseJson(line));
  return values[0] === undefined || values.length < 2 ? undefined : values.map((value) => value ?? null);
}

/** Maximum characters of YAML. A single text of this length takes about 3 GB. */
const LONGEST_YAML = 67_108_864;

/** Reads YAML. Loads the YAML library on demand, because most commands do not need it. */
async function readAsYaml(text: string): Promise<FileContent> {
  if (text.length > LONGEST_YAML)
    return {
      unreadable: localize("is YAML of more than 64 MiB: split it, or import an HTTP archive (.har)"),
    };
  const { readYaml } = await import("./read-yaml.ts");
  try {
    const tree = readYaml(text);
    return typeof tree === "object" && tree !== null
      ? { tree }
      : { unreadable: localize("is neither JSON nor YAML of recordings") };
  } catch (error) {
    return { unreadable: localize("is not YAML: {0}", explain(error)) };
  }
}

/** The first line of a trace. */
const HTTPRR = /^httprr trace v1\n/;

/**
 * Reads a trace of Go's httprr (LangChainGo, ADK): before each call a line with the lengths of its request and response,
 * both as HTTP/1.1 sends them. Returns the calls like a cassette of VCR, or undefined if the trace is cut off.
 * Source: `internal/httprr/rr.go` of langchaingo, 2026-11.
 */
function readHttprr(bytes: Buffer): FileTree | undefined {
  const interactions: FileTree[] = [];
  let at = bytes.indexOf("\n") + 1;
  while (at < bytes.length) {
    const start = bytes.indexOf("\n", at) + 1;
    const [, requestSize, responseSize] =
      /^(\d+) (\d+)\r?\n$/.exec(bytes.toString("latin1", at, start)) ?? [];
    const middle = start + Number(requestSize);
    const end = middle + Number(responseSize);
    if (!(end <= bytes.length)) return undefined;
    const request = readRequest(bytes.subarray(start, middle));
    interactions.push(object({ request, response: readReply(bytes.subarray(middle, end)) }));
    at = end;
  }
  return object({ interactions });
}

const object = (members: Readonly<Record<string, FileTree>>): FileTree => ({
  members: Object.entries(members),
});

function readRequest(wire: Buffer): FileTree {
  const { start, headers, body } = readMessage(wire);
  const [method = "", uri = ""] = start.split(" ");
  return object({ method, uri, headers, body: { bytes: body } });
}

function readReply(wire: Buffer): FileTree {
  const { start, headers, body } = readMessage(wire);
  const isChunked = headers.some((header) => /^transfer-encoding: *chunked$/i.test(header.join(": ")));
  return object({ status: start, headers, body: { bytes: isChunked ? joinChunks(body) : body } });
}

/** Reads a message. langchaingo has requests whose lines end with a line feed alone. */
function readMessage(wire: Buffer) {
  const [head = ""] = /^.*?\r?\n\r?\n/s.exec(wire.toString("latin1")) ?? [];
  const [start = "", ...lines] = head.trimEnd().split(/\r?\n/);
  const headers = lines.map((line) => /^([^:]*): *(.*)$/.exec(line)?.slice(1) ?? []);
  return { start, headers, body: wire.subarray(head.length) };
}

function joinChunks(body: Buffer): Uint8Array {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const start = body.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(body.toString("latin1", at, start), 16);
    if (!(length > 0)) break;
    chunks.push(body.subarray(start, start + length));
    at = start + length + 2;
  }
  return joinBytes(chunks);
}
