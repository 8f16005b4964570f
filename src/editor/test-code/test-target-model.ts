import { localizeCount } from "../../core/base/plural.ts";
import { joinSentences } from "../../core/base/localize.ts";
import { readFields, isFields, isText, isTexts, readList } from "../../core/base/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import { type Key, type Mode, type TestRef, parseMode } from "../../core/call/call.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { isLine, readTestRef } from "../../core/call/attribution.ts";
import { isRunByTests, withoutCase } from "../../core/call/test-names.ts";
import { type FoundTest, resolveNamed, resolveTest } from "../../test-discovery/found-test.ts";

/** The argument of a lens: a declared test or suite in a file; an empty path refers to the whole file. */
export interface LensTarget {
  readonly uri: string;
  readonly test: { readonly path: readonly string[]; readonly line: number };
}

/** The argument of the line number menu: the test around a 1-based line. */
interface LineTarget {
  readonly uri: string;
  readonly line: number;
}

export type TestTarget =
  | { readonly from: "cursor" }
  | { readonly from: "lens"; readonly target: LensTarget }
  | { readonly from: "line"; readonly target: LineTarget }
  | { readonly from: "item"; readonly target: ItemPointer }
  | { readonly from: "call"; readonly target: RecordRequest };

/**
 * Reads a command's untrusted argument from a lens, a menu, a row, the Test Explorer, or a link. All other values, such
 * as those of the command palette and the editor's menus, refer to the test at the cursor.
 */
export function readTestTarget(value: unknown): TestTarget {
  const lens = lensTarget(value);
  if (lens) return { from: "lens", target: lens };
  const line = lineTarget(value);
  if (line) return { from: "line", target: line };
  const item = readItemPointer(value);
  if (item) return { from: "item", target: item };
  const group = testOfGroup(value);
  if (group) return { from: "call", target: { test: group } };
  const request = recordRequest(value);
  return request ? { from: "call", target: request } : { from: "cursor" };
}

/** As {@link readTestTarget} for all arguments of a command: the selected tests of the Test Explorer, or several requests. */
export function readTestTargets(args: readonly unknown[]): readonly TestTarget[] {
  const targets = args.map(readTestTarget);
  const several = targets.filter(({ from }) => from === "item" || from === "call");
  return several.length > 1 ? several : [targets[0] ?? { from: "cursor" }];
}

/**
 * Returns the file of a command's argument: an address from a file menu, or a line of the sidebar's tree; undefined for
 * other values, which refer to the open file.
 */
export function readFileTarget(value: unknown): TestTarget | undefined {
  if (isAddress(value)) {
    return { from: "lens", target: { uri: value.toString(), test: { path: [], line: 1 } } };
  }
  const group = groupOf(value);
  const isFileGroup = group?.["kind"] === "file" && typeof group["label"] === "string";
  return isFileGroup
    ? { from: "call", target: { test: { file: String(group["label"]), name: [] } } }
    : undefined;
}

/** Reads the test of a line of the sidebar's tree. */
function testOfGroup(value: unknown): TestRef | undefined {
  const { finding } = readFields(readFields(value)["subject"]);
  return readTestRef(groupOf(value)?.["test"] ?? readFields(finding)["test"]);
}

function groupOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const { group } = readFields(readFields(value)["subject"]);
  return isFields(group) ? group : undefined;
}

function lensTarget(value: unknown): LensTarget | undefined {
  const { uri, test } = readFields(value);
  const { path, line } = readFields(test);
  return isText(uri) && isTexts(path) && isLine(line) ? { uri, test: { path, line } } : undefined;
}

/** Reads the argument of the line number menu. */
function lineTarget(value: unknown): LineTarget | undefined {
  const { lineNumber, uri } = readFields(value);
  return isLine(lineNumber) && isAddress(uri) ? { uri: uri.toString(), line: lineNumber } : undefined;
}

function recordRequest(value: unknown): RecordRequest | undefined {
  const { test: named, mode: requestedMode, overrides } = readFields(value);
  const test = readTestRef(named);
  if (test === undefined) return undefined;
  return {
    test,
    ...pickDefined({ mode: parseMode(requestedMode) }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  const [key, mode] = readList(value);
  return isKey(key) && parseMode(mode) !== undefined;
}

/** A test that another extension shows in the Test Explorer. */
interface ItemPointer {
  readonly uri: string;
  readonly id: string;
  /** Titles of its ancestors in the file, outermost first, then its own; empty for the file itself. */
  readonly titles: readonly string[];
  /** 1-based first line. */
  readonly line?: number;
}

/** Maximum levels of suites. */
const MAX_LEVELS = 24;

/**
 * Reads the argument of a menu in the Test Explorer: a test item, or a message together with its item. Undefined for
 * other values, and for an item without a file.
 */
export function readItemPointer(value: unknown): ItemPointer | undefined {
  if (!isFields(value)) return undefined;
  if (isItem(value["test"])) return readItemPointer(value["test"]);
  if (!isItem(value)) return undefined;
  const above = lineage(value);
  const uri = above.map(uriOf).find((one) => one !== undefined);
  if (uri === undefined) return undefined;
  const inFile = above.filter((item, index) => index === 0 || (uriOf(item) ?? uri) === uri);
  const titles = inFile
    .filter((item, index) => !isFile(item, index === inFile.length - 1))
    .map(({ label }) => label);
  const line = lineOf(value);
  return { uri, id: value.id, titles: titles.reverse(), ...(line !== undefined && { line }) };
}

/**
 * Finds the declaration of an item: on its line with its title, or else with its titles, or else on its line. "file" for
 * the item of a file; undefined if the file has no such test.
 */
export function findTestOfItem(
  tests: readonly FoundTest[],
  { titles, line, id }: ItemPointer,
): FoundTest | "file" | undefined {
  if (titles.length === 0) return "file";
  const at = tests.filter((test) => line !== undefined && (test.line === line || test.firstLine === line));
  const own = at.filter((test) => hasTitle(test, titles.at(-1) ?? ""));
  return (
    own.findLast(({ kind }) => kind === "test") ??
    own.at(-1) ??
    byTitles(tests, titles, id) ??
    at.at(-1) ??
    (line === undefined ? undefined : resolveTest(tests, { line }))
  );
}

/** Finds a test by titles. An item below a test is one of its cases, so the titles without the last are the test's. */
function byTitles(tests: readonly FoundTest[], titles: readonly string[], id: string): FoundTest | undefined {
  const bare = titles.map(withoutCase);
  const findNamed = (name: readonly string[]): FoundTest | undefined =>
    resolveNamed(tests, { name, ...(id.includes("::") && { id }) });
  const own = findNamed(titles) ?? findNamed(bare);
  if (own) return own;
  const outer = findNamed(titles.slice(0, -1)) ?? findNamed(bare.slice(0, -1));
  if (outer?.kind === "test") return outer;
  // Some explorers leave out the suites, or put folders in between.
  const same = tests.filter((test) => hasTitle(test, titles.at(-1) ?? ""));
  return same.length === 1 ? same[0] : undefined;
}

function hasTitle(test: FoundTest, label: string): boolean {
  const last = { ...test, path: test.path.slice(-1), patterns: test.patterns.slice(-1) };
  return [label, withoutCase(label)].some((name) => resolveTest([last], { name: [name] }) !== undefined);
}

interface Item {
  readonly id: string;
  readonly label: string;
  readonly [name: string]: unknown;
}

function isItem(value: unknown): value is Item {
  return (
    isFields(value) &&
    typeof value["id"] === "string" &&
    typeof value["label"] === "string" &&
    isFields(value["children"])
  );
}

/** Returns the item and its ancestors, innermost first. */
function lineage(item: Item): readonly Item[] {
  const above: Item[] = [item];
  for (let parent = item["parent"]; isItem(parent) && above.length < MAX_LEVELS; parent = parent["parent"])
    above.push(parent);
  return above;
}

function uriOf(item: Item): string | undefined {
  const uri = item["uri"];
  return isAddress(uri) ? uri.toString() : undefined;
}

/** Whether it is the item of the file: it has the file's name, or it has children and no range. */
function isFile(item: Item, isOutermost: boolean): boolean {
  const { uri, children, label } = item;
  const path = isAddress(uri) ? uri.path : "";
  if (path.endsWith(`/${label.replaceAll("\\", "/")}`)) return true;
  const holds = isFields(children) && children["size"] !== 0;
  return isOutermost && holds && lineOf(item) === undefined;
}

/** Whether a value is an address of the editor (`vscode.Uri`). */
export function isAddress(value: unknown): value is { readonly path: string; toString: () => string } {
  return isFields(value) && typeof value["scheme"] === "string" && typeof value["path"] === "string";
}

function lineOf(item: Item): number | undefined {
  const { line } = readFields(readFields(item["range"])["start"]);
  return typeof line === "number" && Number.isSafeInteger(line) && line >= 0 ? line + 1 : undefined;
}

/** The argument of the command `recordTest`: run this test in a separate run. */
export interface RecordRequest {
  readonly test: TestRef;
  /** Default: record. */
  readonly mode?: Mode;
  /** The mode for the next call of a key. */
  readonly overrides?: readonly (readonly [Key, Mode])[];
}

/**
 * Returns how to record missing calls that no known test makes: the keys to record the next time, and a message. Calls
 * that are missing in MetaGPT's cache are recorded by MetaGPT, in the mode of its process.
 */
export function planRecordingLater(
  untested: readonly { readonly miss: { readonly key: Key; readonly cacheFile?: string } }[],
): { readonly keys: readonly Key[]; readonly text: string | undefined } {
  const own = untested.filter(({ miss }) => miss.cacheFile === undefined);
  const inCache = untested.length - own.length;
  const texts = [
    ...(own.length > 0 ? [whenMade(own.length)] : []),
    ...(inCache > 0 ? [inMode(inCache)] : []),
  ];
  return {
    keys: own.map(({ miss }) => miss.key),
    text: texts.length === 0 ? undefined : joinSentences(...texts),
  };
}

const whenMade = (count: number): string =>
  localizeCount(
    count,
    "No known test makes this call. Run the program that makes it again to record the call.",
    "No known test makes {0} of the calls. Run the programs that make them again to record the calls.",
  );

const inMode = (count: number): string =>
  localizeCount(
    count,
    "No known test makes this call to MetaGPT's cache. Switch Tapedeck to Record, then run MetaGPT again.",
    "No known test makes {0} of the calls to MetaGPT's cache. Switch Tapedeck to Record, then run MetaGPT again.",
  );

/** Splits calls into those that tests make, and those of scripts, cells, prompts, and unknown callers. */
export function splitByTests<T extends { readonly miss: { readonly key: Key }; readonly test?: TestRef }>(
  calls: readonly T[],
): {
  readonly tested: readonly { readonly test: TestRef; readonly key: Key }[];
  readonly untested: readonly T[];
} {
  return {
    tested: calls.flatMap(({ test, miss }) => (test && isRunByTests(test) ? [{ test, key: miss.key }] : [])),
    untested: calls.filter(({ test }) => test === undefined || !isRunByTests(test)),
  };
}

/** Returns one request per test, in the order of the first call of each. */
export function groupRequestsByTest(
  calls: readonly { readonly test: TestRef; readonly key: Key }[],
  as: { readonly mode: Mode; readonly override?: Mode },
): readonly RecordRequest[] {
  const byTest = new Map<string, { readonly test: TestRef; readonly keys: Set<Key> }>();
  for (const { test, key } of calls) {
    const id = JSON.stringify([test.file, ...test.name]);
    const group = byTest.get(id) ?? { test, keys: new Set<Key>() };
    byTest.set(id, group);
    group.keys.add(key);
  }
  const { mode, override } = as;
  return [...byTest.values()].map(({ test, keys }) => ({
    test,
    mode,
    ...(override && { overrides: [...keys].map((key) => [key, override] as const) }),
  }));
}
