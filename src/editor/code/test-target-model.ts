import type { Key, Mode, TestRef } from "../../core/exchange.ts";
import { MODES } from "../../core/exchange.ts";
import type { RecordRequest } from "../views/record-request-model.ts";

/** The argument of a lens: a declared test in a file. */
export interface LensTarget {
  readonly uri: string;
  readonly test: { readonly path: readonly string[]; readonly line: number };
}

/** The argument of a menu beside the text: the test around a line, 1-based. */
export interface LineTarget {
  readonly uri: string;
  readonly line: number;
}

export type TestTarget =
  | { readonly from: "cursor" }
  | { readonly from: "lens"; readonly target: LensTarget }
  | { readonly from: "line"; readonly target: LineTarget }
  | { readonly from: "call"; readonly target: RecordRequest };

/**
 * Reads a command's argument, which may come from a lens, a menu, a row or a link, and may have been made up.
 * What is none of ours means the test at the cursor: the palette and the editor's own menus give other things.
 */
export function testTargetFrom(value: unknown): TestTarget {
  const lens = lensTarget(value);
  if (lens) return { from: "lens", target: lens };
  const line = lineTarget(value);
  if (line) return { from: "line", target: line };
  const request = recordRequest(value);
  return request ? { from: "call", target: request } : { from: "cursor" };
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

/** The editor's own address of a file, which writes itself as text. */
function isAddress(value: unknown): value is { readonly scheme: string; toString: () => string } {
  return isObject(value) && typeof value["scheme"] === "string" && typeof value["path"] === "string";
}

function recordRequest(value: unknown): RecordRequest | undefined {
  if (!isObject(value)) return undefined;
  const test = testRef(value["test"]);
  if (test === undefined) return undefined;
  const { mode, overrides } = value;
  return {
    test,
    ...(isMode(mode) && { mode }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

/** What is needed to find the test again; the rest of a reference is of no use here. */
function testRef(value: unknown): TestRef | undefined {
  if (!isObject(value)) return undefined;
  const { file, name, line, joined, id } = value;
  if (typeof file !== "string" || file === "" || !isTitles(name)) return undefined;
  return {
    file,
    name,
    ...(isLine(line) && { line }),
    ...(typeof joined === "string" && { joined }),
    ...(typeof id === "string" && { id }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isTitles(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  if (!Array.isArray(value)) return false;
  return typeof value[0] === "string" && /^sha256:[0-9a-f]{64}$/u.test(value[0]) && isMode(value[1]);
}
