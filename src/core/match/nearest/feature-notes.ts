import type { Key } from "../../call.ts";
import { jsonOrNone } from "../../json/json-parse.ts";
import { isJsonArray } from "../../json/json-tree.ts";
import { bytesOf, textOf } from "../../wire/text.ts";
import type { Features } from "./features.ts";

/** What the nearest index needs of a recorded request. It follows from the request alone, so from its key. */
export interface NotedRequest {
  readonly operation: string;
  readonly features: Features;
}

export type FeatureNotes = ReadonlyMap<Key, NotedRequest>;

/** Where notes outlive the process. What is lost of them is only time. */
export interface NotedFeatures {
  /** No notes where there are none that can be used. Never throws. */
  read(): Promise<FeatureNotes>;
  /** Never throws. */
  write(notes: FeatureNotes): Promise<void>;
}

/** Another number when features are computed otherwise: notes of before are of no use then. */
const VERSION = 4;
const MARK = 0x54_4e_31_00 + VERSION;
const KEY = /^sha256:([0-9a-f]{64})$/;
/** A row: key, where its numbers begin, how many are hashes and how many parts, operation, model, lastUser, system. */
const ROW = 32 + 7 * 4;
/** Mark, number of rows, number of their numbers, bytes of the names of operations. */
const HEAD = 4 * 4;

/**
 * Notes as bytes, numbers as the machine has them: a head, the rows, hashes and parts of all rows (4 each), and the
 * names of operations as JSON. Everything but the last is at a multiple of 4, so that numbers are used where they lie.
 * Keys that are none of ours are left out.
 */
export function encodeNotes(notes: FeatureNotes): Uint8Array {
  const rows = [...notes].flatMap(([key, { operation, features }]) => {
    const digest = KEY.exec(key)?.[1];
    return digest === undefined ? [] : [{ digest, operation, features }];
  });
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  const numbers = new Map(operations.map((operation, index) => [operation, index]));
  const names = bytesOf(JSON.stringify(operations));
  const hashes = rows.reduce((sum, { features }) => sum + features.hashes.length + features.parts.length, 0);
  const start = HEAD + ROW * rows.length;
  const bytes = new Uint8Array(start + 4 * hashes + names.byteLength);
  new Uint32Array(bytes.buffer, 0, 4).set([MARK, rows.length, hashes, names.byteLength]);
  const all = new Uint32Array(bytes.buffer, start, hashes);
  let begin = 0;
  for (const [index, { digest, operation, features }] of rows.entries()) {
    const at = HEAD + ROW * index;
    for (let byte = 0; byte < 32; byte += 1)
      bytes[at + byte] = Number.parseInt(digest.slice(2 * byte, 2 * byte + 2), 16);
    const { model, lastUser, system, hashes: own, parts } = features;
    const facts = [begin, own.length, parts.length, numbers.get(operation) ?? 0, model, lastUser, system];
    new Uint32Array(bytes.buffer, at + 32, 7).set(facts);
    all.set(own, begin);
    all.set(parts, begin + own.length);
    begin += own.length + parts.length;
  }
  bytes.set(names, start + 4 * hashes);
  return bytes;
}

/** Reads what `encodeNotes` wrote, one by one; what is cut short, and anything else, is no notes. */
export function* decodeNotes(bytes: Uint8Array): Generator<readonly [Key, NotedRequest]> {
  // Buffers of small files lie anywhere in a larger one.
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (bytes.byteLength < HEAD) return;
  const [mark, count = 0, total = 0, nameBytes = 0] = new Uint32Array(buffer, byteOffset, 4);
  const start = HEAD + ROW * count;
  if (mark !== MARK || bytes.byteLength !== start + 4 * total + nameBytes) return;
  const operations = namesIn(bytes.subarray(start + 4 * total));
  const rows = new Uint32Array(buffer, byteOffset, start / 4);
  const all = new Uint32Array(buffer, byteOffset + start, total);
  for (let index = 0; index < count; index += 1) {
    const at = HEAD + ROW * index;
    const place = (at + 32) / 4;
    const [begin = 0, hashes = 0, parts = 0, number = 0, model = 0, lastUser = 0, system = 0] = rows.subarray(
      place,
      place + 7,
    );
    const operation = operations[number];
    const [middle, end] = [begin + hashes, begin + hashes + parts];
    if (operation === undefined || end > total) continue;
    const numbers = { hashes: all.subarray(begin, middle), parts: all.subarray(middle, end) };
    const features = { ...numbers, model, lastUser, system };
    yield [`sha256:${hexOf(bytes.subarray(at, at + 32))}`, { operation, features }];
  }
}

function namesIn(bytes: Uint8Array): readonly string[] {
  const names = jsonOrNone(textOf(bytes));
  return names !== undefined && isJsonArray(names) ? names.filter((name) => typeof name === "string") : [];
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte] ?? "";
  return text;
}
