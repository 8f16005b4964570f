import { readFileSync } from "node:fs";

const DIRECTORY_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;

/** The names in a zip file, from its central directory. Source: PKWARE APPNOTE 6.3.10, 4.3.12 and 4.3.16. */
export function namesInZip(path: string): string[] {
  const bytes = readFileSync(path);
  let end = bytes.length - 22;
  while (end > 0 && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error(`${path} has a torn directory.`);
    const nameLength = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString("utf8", at + 46, at + 46 + nameLength));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
}
