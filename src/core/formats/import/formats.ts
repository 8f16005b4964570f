import { isCharles, readCharles } from "./charles.ts";
import { isExchangeLine, readExchangeLine } from "./exchange-lines.ts";
import type { ImportedEntry } from "./found.ts";
import { isHar, isPolly, readHar } from "./har.ts";
import { isNock, readNock } from "./nock.ts";
import { isPostman, readPostman } from "./postman.ts";
import { isObject, listItems, type FileTree } from "./tree.ts";
import { isSocketCassette, readSocketCassette } from "./socket-messages.ts";
import { isVcr, readVcr } from "./vcr.ts";

/** Names of the formats that can be imported. */
export const FORMATS = ["vcr", "polly", "har", "nock", "jsonl", "sockets", "charles", "postman"] as const;
export type Format = (typeof FORMATS)[number];

interface Reader {
  readonly is: (tree: FileTree) => boolean;
  /** Returns all entries of the file in order, with the reason for those that cannot be imported. Never throws. */
  readonly read: (tree: FileTree) => Iterable<ImportedEntry>;
}

/** In the order in which they are tried: the easier a format is to recognize, the earlier. */
const READERS: Readonly<Record<Format, Reader>> = {
  polly: { is: isPolly, read: readHar },
  har: { is: isHar, read: readHar },
  charles: { is: isCharles, read: readCharles },
  postman: { is: isPostman, read: readPostman },
  sockets: { is: isSocketCassette, read: readSocketCassette },
  vcr: { is: isVcr, read: readVcr },
  nock: { is: isNock, read: readNock },
  jsonl: { is: isExchangeLines, read: readExchangeLines },
};

export const isFormat = (name: string): name is Format => Object.hasOwn(READERS, name);

/** Recorders that write another one's format, by their usual names. */
const RECORDERS: Readonly<Record<string, Format>> = {
  vcrpy: "vcr",
  "pytest-recording": "vcr",
  "pytest-vcr": "vcr",
  betamax: "vcr",
  "go-vcr": "vcr",
  httprr: "vcr",
  playwright: "har",
  pollyjs: "polly",
};

/** Finds a format by its name or by a recorder's name. */
export function formatNamed(name: string): Format | undefined {
  if (isFormat(name)) return name;
  return Object.hasOwn(RECORDERS, name) ? RECORDERS[name] : undefined;
}

/** Recognizes the format of a file by its content. */
export function recognizeFormat(tree: FileTree): Format | undefined {
  return Object.keys(READERS)
    .filter(isFormat)
    .find((format) => READERS[format].is(tree));
}

/** Reads a file in this format; a file of another format has few or no usable entries. */
export function readFormat(tree: FileTree, format: Format): Iterable<ImportedEntry> {
  return READERS[format].read(tree);
}

/** Whether a tree is a list of exchanges, one per line of its file. */
function isExchangeLines(tree: FileTree): boolean {
  return isObject(tree) ? isExchangeLine(tree) : listItems(tree).some(isExchangeLine);
}

function readExchangeLines(tree: FileTree): readonly ImportedEntry[] {
  const lines = isObject(tree) ? [tree] : listItems(tree);
  return lines.map((line, index) => readExchangeLine(line, `line ${index + 1}`));
}
