import { localizeCount } from "../../core/base/plural.ts";
import { joinSentences } from "../../core/base/localize.ts";
import { readFields, isFields, isText, isTexts, readList } from "../../core/base/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import { type Key, type Mode, type TestRef, parseMode } from "../../core/call/call.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { isLine, readTestRef } from "../findings/findings-model.ts";
import { isRunByTests } from "../../core/call/test-names.ts";

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
  | { readonly from: "call"; readonly target: RecordRequest };

/**
 * Reads a command's untrusted argument from a lens, a menu, a row, or a link. All other values, such
 * as those of the command palette and the editor's menus, refer to the test at the cursor.
 */
export function readTestTarget(value: unknown): TestTarget {
  const lens = lensTarget(value);
  if (lens) return { from: "lens", target: lens };
  const line = lineTarget(value);
  if (line) return { from: "line", target: line };
  const group = testOfGroup(value);
  if (group) return { from: "call", target: { test: group } };
  const request = recordRequest(value);
  return request ? { from: "call", target: request } : { from: "cursor" };
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
  const { test: named, mode: asked, overrides } = readFields(value);
  const test = readTestRef(named);
  if (test === undefined) return undefined;
  return {
    test,
    ...pickDefined({ mode: parseMode(asked) }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  const [key, mode] = readList(value);
  return isKey(key) && parseMode(mode) !== undefined;
}

/** Whether a value is an address of the editor (`vscode.Uri`). */
export function isAddress(value: unknown): value is { readonly path: string; toString: () => string } {
  return isFields(value) && typeof value["scheme"] === "string" && typeof value["path"] === "string";
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
  wanted: readonly { readonly test: TestRef; readonly key: Key }[],
  as: { readonly mode: Mode; readonly override?: Mode },
): readonly RecordRequest[] {
  const byTest = new Map<string, { readonly test: TestRef; readonly keys: Set<Key> }>();
  for (const { test, key } of wanted) {
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
