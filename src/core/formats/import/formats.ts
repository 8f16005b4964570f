import { isAimock, readAimock } from "./aimock.ts";
import { isExchangeLine, readExchangeLine } from "./exchange-lines.ts";
import type { FileSource, ImportedEntry } from "./found.ts";
import { isHar, isPolly, readHar } from "./har.ts";
import { isLlamaStack, readLlamaStack } from "./llama-stack.ts";
import { isNock, readNock } from "./nock.ts";
import { isObject, itemsOf, membersOf, type FileTree } from "./tree.ts";
import { isVcr, readVcr } from "./vcr.ts";

/** The formats that can be imported, by the names that users give them. */
export const FORMATS = ["vcr", "polly", "har", "nock", "aimock", "llama-stack", "jsonl", "metagpt"] as const;
export type Format = (typeof FORMATS)[number];

interface Reader {
  readonly is: (tree: FileTree) => boolean;
  /** Everything in the file, in its order; what cannot be imported with the reason. Never throws. */
  readonly read: (tree: FileTree, source: FileSource) => Iterable<ImportedEntry>;
}

/** In the order in which they are tried: the more a format says of itself, the earlier. */
const READERS: Readonly<Record<Format, Reader>> = {
  polly: { is: isPolly, read: readHar },
  har: { is: isHar, read: readHar },
  vcr: { is: isVcr, read: readVcr },
  nock: { is: isNock, read: readNock },
  aimock: { is: isAimock, read: readAimock },
  "llama-stack": { is: isLlamaStack, read: readLlamaStack },
  jsonl: { is: isExchangeLines, read: readExchangeLines },
  metagpt: { is: isMetagpt, read: readMetagpt },
};

export const isFormat = (name: string): name is Format => Object.hasOwn(READERS, name);

/** Recorders that write another one's form, by the names under which people know them. */
const RECORDERS: Readonly<Record<string, Format>> = {
  vcrpy: "vcr",
  "pytest-recording": "vcr",
  "pytest-vcr": "vcr",
  betamax: "vcr",
  "go-vcr": "vcr",
  playwright: "har",
  pollyjs: "polly",
};

/** The format that is meant by its own name or by a recorder's; undefined where it is none. */
export function formatNamed(name: string): Format | undefined {
  if (isFormat(name)) return name;
  return Object.hasOwn(RECORDERS, name) ? RECORDERS[name] : undefined;
}

/** The format of a file by its content; undefined where it is none of these. */
export function recogniseFormat(tree: FileTree): Format | undefined {
  return Object.keys(READERS)
    .filter(isFormat)
    .find((format) => READERS[format].is(tree));
}

/** What a file of this format holds; where it is of another one, there is nothing, or little that can be used. */
export function readFormat(tree: FileTree, format: Format, source: FileSource): Iterable<ImportedEntry> {
  return READERS[format].read(tree, source);
}

/** A file of lines comes as the list of their values. */
function isExchangeLines(tree: FileTree): boolean {
  return isObject(tree) ? isExchangeLine(tree) : itemsOf(tree).some(isExchangeLine);
}

function readExchangeLines(tree: FileTree): readonly ImportedEntry[] {
  const lines = isObject(tree) ? [tree] : itemsOf(tree);
  return lines.map((line, index) => readExchangeLine(line, `line ${index + 1}`));
}

/**
 * MetaGPT's `rsp_cache.json`: answers by the text that was asked. Nothing of it can be a recording: a call over HTTP
 * names a model and says who spoke, and these keys do not.
 */
function readMetagpt(tree: FileTree): readonly ImportedEntry[] {
  return membersOf(tree).map((_, index) => ({
    place: `entry ${index + 1}`,
    skipped:
      "has a key that knows neither model nor roles, so that it could answer another request than its own (list, show and MetaGPT's MockLLM read the file in place)",
  }));
}

/** Keys are whole prompts; answers are texts, or the code that was asked for. */
function isMetagpt(tree: FileTree): boolean {
  const members = membersOf(tree);
  return (
    members.length > 0 &&
    members.every(([, value]) => typeof value === "string" || isObject(value)) &&
    members.some(([key]) => key.length > 100 || key.includes("#SYSTEM_MSG_END#") || key.startsWith('[{"'))
  );
}
