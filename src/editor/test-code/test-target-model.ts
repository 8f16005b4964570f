import { fieldsOf, isFields, isText, isTexts, listOf } from "../../core/protocol/base/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import { type Key, type Mode, type TestRef, modeFrom } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import type { RecordRequest } from "./record-request-model.ts";
import { isLine, testRefFrom } from "../findings/test-ref-model.ts";
import { isAddress, itemPointer, type ItemPointer } from "./test-item-model.ts";

/** The argument of a lens: a declared test or suite in a file; the whole file where the path is empty. */
export interface LensTarget {
  readonly uri: string;
  readonly test: { readonly path: readonly string[]; readonly line: number };
}

/** The argument of a menu beside the text: the test around a line, 1-based. */
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
 * Reads a command's argument, which may come from a lens, a menu, a row, the Test Explorer or a link, and may have
 * been made up.
 * What is none of ours means the test at the cursor: the palette and the editor's own menus give other things.
 */
export function testTargetFrom(value: unknown): TestTarget {
  const lens = lensTarget(value);
  if (lens) return { from: "lens", target: lens };
  const line = lineTarget(value);
  if (line) return { from: "line", target: line };
  const item = itemPointer(value);
  if (item) return { from: "item", target: item };
  const group = testOfGroup(value);
  if (group) return { from: "call", target: { test: group } };
  const request = recordRequest(value);
  return request ? { from: "call", target: request } : { from: "cursor" };
}

/**
 * As {@link testTargetFrom}, of a command's whole arguments: the Test Explorer gives each of the selected tests.
 */
export function testTargetsFrom(args: readonly unknown[]): readonly TestTarget[] {
  const targets = args.map(testTargetFrom);
  const items = targets.filter(({ from }) => from === "item");
  return items.length > 1 ? items : [targets[0] ?? { from: "cursor" }];
}

/**
 * The file of a command's argument: an address as the menus of files give it, or a line of the sidebar's tree;
 * undefined for the one that is open.
 */
export function fileTargetFrom(value: unknown): TestTarget | undefined {
  if (isAddress(value)) {
    return { from: "lens", target: { uri: value.toString(), test: { path: [], line: 1 } } };
  }
  const group = groupOf(value);
  const isFile = group?.["kind"] === "file" && typeof group["label"] === "string";
  return isFile ? { from: "call", target: { test: { file: String(group["label"]), name: [] } } } : undefined;
}

/** A line of the sidebar's tree that stands for a test. */
function testOfGroup(value: unknown): TestRef | undefined {
  const { finding } = fieldsOf(fieldsOf(value)["subject"]);
  return testRefFrom(groupOf(value)?.["test"] ?? fieldsOf(finding)["test"]);
}

function groupOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const { group } = fieldsOf(fieldsOf(value)["subject"]);
  return isFields(group) ? group : undefined;
}

function lensTarget(value: unknown): LensTarget | undefined {
  const { uri, test } = fieldsOf(value);
  const { path, line } = fieldsOf(test);
  return isText(uri) && isTexts(path) && isLine(line) ? { uri, test: { path, line } } : undefined;
}

/** As the menu of the line numbers gives it. */
function lineTarget(value: unknown): LineTarget | undefined {
  const { lineNumber, uri } = fieldsOf(value);
  return isLine(lineNumber) && isAddress(uri) ? { uri: uri.toString(), line: lineNumber } : undefined;
}

function recordRequest(value: unknown): RecordRequest | undefined {
  const { test: named, mode: asked, overrides } = fieldsOf(value);
  const test = testRefFrom(named);
  if (test === undefined) return undefined;
  return {
    test,
    ...pickDefined({ mode: modeFrom(asked) }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  const [key, mode] = listOf(value);
  return isKey(key) && modeFrom(mode) !== undefined;
}
