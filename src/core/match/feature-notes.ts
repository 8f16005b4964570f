import type { Key } from "../exchange.ts";
import { bytesOf, textOf } from "../wire/text.ts";
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
const VERSION = 1;
const MARK = 0x54_4e_31_00 + VERSION;
const KEY = /^sha256:([0-9a-f]{64})$/;

/**
 * Notes as bytes, little-endian: mark, and for each request its key (32 bytes), operation (1 byte of length, UTF-8),
 * model, lastUser, system (4 each), the number of hashes (2) and the hashes (4 each). Keys that are none of ours and
 * operations over 255 bytes are left out.
 */
export function encodeNotes(notes: FeatureNotes): Uint8Array {
  const rows = [...notes].flatMap(([key, { operation, features }]) => {
    const digest = KEY.exec(key)?.[1];
    const name = bytesOf(operation);
    return digest === undefined || name.byteLength > 255 ? [] : [{ digest, name, features }];
  });
  const sizes = rows.map(({ name, features }) => 32 + 1 + name.byteLength + 14 + 4 * features.hashes.length);
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MARK, true);
  let at = 4;
  for (const { digest, name, features } of rows) {
    for (let index = 0; index < 32; index += 1)
      bytes[at + index] = Number.parseInt(digest.slice(2 * index, 2 * index + 2), 16);
    bytes[at + 32] = name.byteLength;
    bytes.set(name, at + 33);
    at += 33 + name.byteLength;
    for (const number of [features.model, features.lastUser, features.system]) {
      view.setUint32(at, number, true);
      at += 4;
    }
    view.setUint16(at, features.hashes.length, true);
    at += 2;
    for (const hash of features.hashes) {
      view.setUint32(at, hash, true);
      at += 4;
    }
  }
  return bytes;
}

/** Reads what `encodeNotes` wrote; what is cut short ends where it is whole, and anything else is no notes. */
export function decodeNotes(bytes: Uint8Array): FeatureNotes {
  const notes = new Map<Key, NotedRequest>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 4 || view.getUint32(0, true) !== MARK) return notes;
  const operations = new Map<string, string>();
  let at = 4;
  while (at + 33 <= bytes.byteLength) {
    const afterName = at + 33 + (bytes[at + 32] ?? 0);
    if (afterName + 14 > bytes.byteLength) break;
    const count = view.getUint16(afterName + 12, true);
    const end = afterName + 14 + 4 * count;
    if (end > bytes.byteLength) break;
    const key: Key = `sha256:${hexOf(bytes.subarray(at, at + 32))}`;
    const name = textOf(bytes.subarray(at + 33, afterName));
    const operation = operations.get(name) ?? name;
    operations.set(operation, operation);
    const [model, lastUser, system] = [0, 4, 8].map((offset) => view.getUint32(afterName + offset, true));
    const hashes = new Uint32Array(count);
    for (let index = 0; index < count; index += 1)
      hashes[index] = view.getUint32(afterName + 14 + 4 * index, true);
    const features = { hashes, model: model ?? 0, lastUser: lastUser ?? 0, system: system ?? 0 };
    notes.set(key, { operation, features });
    at = end;
  }
  return notes;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte] ?? "";
  return text;
}
