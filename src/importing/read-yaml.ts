import { localize } from "../core/base/localize.ts";
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node, type Tags } from "yaml";
import { isObject, listItems, listMembers, type FileTree } from "../core/formats/import/tree.ts";

/** Maximum number of values, as a protection against nested aliases. */
const MOST_VALUES = 5_000_000;
const DEEPEST = 500;
/** Maximum lines of quoted texts to indent: PyYAML takes lines that are not indented, which YAML forbids. */
const MOST_INDENTED = 20;
const LONGEST_INDENTED = 1_000_000;

/**
 * Reads YAML of recorders (Python's and Ruby's dumpers: YAML 1.1, tags of their languages) without creating objects of
 * tags: a value with an unknown tag is a map, list, or text. Binary scalars are bytes.
 * @throws Error with line and column for invalid YAML
 */
export function readYaml(text: string): FileTree {
  const asWritten = parseYaml(text);
  const document = indentQuotedLines(text, asWritten);
  const [error] = document.errors.length === 0 ? [] : asWritten.errors;
  if (error !== undefined) throw new Error(error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? error.code);
  return treeOf(document.contents, { anchors: new Map(), left: MOST_VALUES, depth: 0 });
}

const parseYaml = (text: string) =>
  parseDocument(text, {
    version: "1.1",
    uniqueKeys: false,
    logLevel: "silent",
    customTags: recorderTags,
  });

/** Parses a text again after each line of a quoted text that had to be indented, if few lines need it. */
function indentQuotedLines(text: string, asWritten: ReturnType<typeof parseYaml>) {
  let [indented, document] = [text, asWritten];
  for (let tries = 0; tries < MOST_INDENTED && text.length < LONGEST_INDENTED; tries += 1) {
    const [fault] = document.errors;
    if (fault?.code !== "MISSING_CHAR" || indented[fault.pos[0]] !== "\n") break;
    const line = fault.pos[0] + 1;
    indented = indented.slice(0, line) + " ".repeat(DEEPEST) + indented.slice(line);
    document = parseYaml(indented);
  }
  return document;
}

/** Returns the tags to resolve: dates stay texts, and Ruby's tag for bytes is added. */
function recorderTags(tags: Tags): Tags {
  const binary = tags.find((tag) => typeof tag === "object" && tag.tag === "tag:yaml.org,2002:binary");
  const known = tags.filter((tag) => typeof tag !== "object" || tag.tag !== "tag:yaml.org,2002:timestamp");
  return typeof binary === "object" ? [...known, { ...binary, tag: "!binary" }] : known;
}

interface YamlReader {
  /** Values of the anchors so far, with their number of values. */
  readonly anchors: Map<string, { readonly tree: FileTree; readonly size: number }>;
  left: number;
  depth: number;
}

function treeOf(node: unknown, reading: YamlReader): FileTree {
  if (isAlias(node)) return followAlias(node.source, reading);
  const before = reading.left;
  take(1, reading);
  if (reading.depth > DEEPEST) throw new Error(localize("its values are nested too deeply"));
  reading.depth += 1;
  const tree = isScalar(node) ? scalar(node.value, node.source) : inside(node, reading);
  reading.depth -= 1;
  if (hasAnchor(node)) reading.anchors.set(node.anchor, { tree, size: before - reading.left });
  return tree;
}

function hasAnchor(node: unknown): node is Node & { readonly anchor: string } {
  return (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined;
}

/** Returns the value of an alias, and counts its values again. */
function followAlias(name: string, reading: YamlReader): FileTree {
  const named = reading.anchors.get(name);
  if (named === undefined) throw new Error(localize("the alias *{0} is not defined before it", name));
  take(named.size, reading);
  return named.tree;
}

function take(values: number, reading: YamlReader): void {
  reading.left -= values;
  if (reading.left < 0) throw new Error(localize("it has more than {0} values", MOST_VALUES));
}

function inside(node: unknown, reading: YamlReader): FileTree {
  if (isSeq(node)) return node.items.map((item) => treeOf(item, reading));
  if (!isMap(node)) return null;
  const read = node.items.map(({ key, value }) => [keyText(key), treeOf(value, reading)] as const);
  const members = [
    ...read.filter(isMerge).flatMap(mergeMembers),
    ...read.filter((member) => !isMerge(member)),
  ];
  // The last value of a duplicate name counts, as in the recorders' own readers.
  return { members: [...new Map(members)] };
}

type Member = readonly [name: string, value: FileTree];

const isMerge = ([name]: Member): boolean => name === "<<";

/** Returns the members that a merge key `<<` (YAML 1.1) adds, from one map or from several. The first map wins. */
function mergeMembers([, value]: Member): readonly Member[] {
  return isObject(value) ? listMembers(value) : listItems(value).toReversed().flatMap(listMembers);
}

function keyText(key: unknown): string {
  const value: unknown = isScalar(key) ? key.value : key;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "string" ? value : isScalar(key) ? (key.source ?? String(value)) : String(value);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function scalar(value: unknown, source: string | undefined): FileTree {
  if (value instanceof Uint8Array) return { bytes: Uint8Array.from(value) };
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "number" && typeof value !== "bigint") return source ?? null;
  // Keeps the digits of the source if they are valid in JSON.
  if (source !== undefined && JSON_NUMBER.test(source)) return { number: source };
  return Number.isFinite(Number(value)) ? { number: String(value) } : (source ?? null);
}
