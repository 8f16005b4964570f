import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

const DIRECTORY_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;

interface Entry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly size: number;
  readonly at: number;
}

/** The names in a zip file. */
export function namesInZip(path: string): string[] {
  return entriesOf(readFileSync(path), path).map(({ name }) => name);
}

/** The text of one of its files. */
export function textInZip(path: string, name: string): string {
  const bytes = readFileSync(path);
  const entry = entriesOf(bytes, path).find((one) => one.name === name);
  if (entry === undefined) throw new Error(`${path} has no ${name}.`);
  const begin = entry.at + 30 + bytes.readUInt16LE(entry.at + 26) + bytes.readUInt16LE(entry.at + 28);
  const packed = bytes.subarray(begin, begin + entry.size);
  return (entry.isDeflated ? inflateRawSync(packed) : packed).toString("utf8");
}

/** From its central directory. Source: PKWARE APPNOTE 6.3.10, 4.3.7, 4.3.12 and 4.3.16. */
function entriesOf(bytes: Buffer, path: string): Entry[] {
  let end = bytes.length - 22;
  while (end > 0 && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error(`${path} has a torn directory.`);
    const nameLength = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
      isDeflated: bytes.readUInt16LE(at + 10) === 8,
      size: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
