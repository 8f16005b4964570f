import { type Key, type Mode, type TestRef, MODES } from "../../core/call.ts";
import type { RecordRequest } from "../call-commands/record-request-model.ts";
import { isLine, isObject, isTitles, testRefFrom } from "../session/test-ref-model.ts";
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
  const run = isObject(value) && isObject(value["subject"]) ? value["subject"]["run"] : undefined;
  return testRefFrom(groupOf(value)?.["test"] ?? (isObject(run) ? run["test"] : undefined));
}

function groupOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const subject = isObject(value) ? value["subject"] : undefined;
  const group = isObject(subject) ? subject["group"] : undefined;
  return isObject(group) ? group : undefined;
}

function lensTarget(value: unknown): LensTarget | undefined {
  if (!isObject(value) || typeof value["uri"] !== "string" || !isObject(value["test"])) return undefined;
  const { path, line } = value["test"];
  return isTitles(path) && isLine(line) ? { uri: value["uri"], test: { path, line } } : undefined;
}

/** As the menu of the line numbers gives it. */
function lineTarget(value: unknown): LineTarget | undefined {
  if (!isObject(value)) return undefined;
  const { lineNumber, uri } = value;
  return isLine(lineNumber) && isAddress(uri) ? { uri: uri.toString(), line: lineNumber } : undefined;
}

function recordRequest(value: unknown): RecordRequest | undefined {
  if (!isObject(value)) return undefined;
  const test = testRefFrom(value["test"]);
  if (test === undefined) return undefined;
  const { mode, overrides } = value;
  return {
    test,
    ...(isMode(mode) && { mode }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  if (!Array.isArray(value)) return false;
  return typeof value[0] === "string" && /^sha256:[0-9a-f]{64}$/u.test(value[0]) && isMode(value[1]);
}
