import { stat } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { Found } from "../core/formats/import/found.ts";
import { readFormat, recogniseFormat, type Format } from "../core/formats/import/formats.ts";
import { READ_LIMITS, readBytes } from "../storage/folder/read-file.ts";
import type { ImportFile } from "./find-files.ts";
import { readFileTree } from "./read-file-tree.ts";

/** What a file holds, or why nothing can be had from it, as the end of a sentence about it. */
export type ReadFile =
  | {
      readonly format: Format;
      readonly found: readonly Found[];
      /** Milliseconds since the epoch. */
      readonly changedAt: number;
    }
  | { readonly unreadable: string };

export async function readImportFile({ path }: ImportFile, from: Format | undefined): Promise<ReadFile> {
  let text: string;
  let changedAt: number;
  try {
    const stats = await stat(path);
    if (stats.size > READ_LIMITS.data) return { unreadable: "is larger than 256 MiB" };
    changedAt = stats.mtimeMs;
    const bytes = unpacked(await readBytes(path, { links: "followed" }));
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { unreadable: "is no text in UTF-8" };
    return { unreadable: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const content = await readFileTree(text);
  if ("unreadable" in content) return content;
  const format = from ?? recogniseFormat(content.tree);
  if (format === undefined) return { unreadable: "holds no recordings in a format that is known here" };
  const found = readFormat(content.tree, format);
  return found.length === 0
    ? { unreadable: `holds nothing in the format ${format}` }
    : { format, found, changedAt };
}

/** Cassettes may be packed (LangChain's `.yaml.gz`): the first bytes tell. @throws where they lie, or it is too large. */
function unpacked(bytes: Uint8Array): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? gunzipSync(bytes, { maxOutputLength: READ_LIMITS.data }) : bytes;
}
