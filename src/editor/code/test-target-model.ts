import type { Key, Mode, TestRef } from "../../core/exchange.ts";
import { MODES } from "../../core/exchange.ts";
import type { RecordRequest } from "../views/record-request-model.ts";

/** The argument of a lens: a declared test in a file. */
export interface LensTarget {
  readonly uri: string;
  readonly test: { readonly path: readonly string[]; readonly line: number };
}

/** Reads a command's argument, which may come from a lens, a row or a link. Undefined: the test at the cursor. */
export function testTargetFrom(value: unknown): LensTarget | RecordRequest | undefined {
  if (!isObject(value) || !isObject(value["test"])) return undefined;
  const { uri, test, mode, overrides } = value;
  const { path, line, file, name } = test;
  if (typeof uri === "string" && isTexts(path) && typeof line === "number")
    return { uri, test: { path, line } };
  if (typeof file !== "string" || !isTexts(name)) return undefined;
  return {
    test: { ...(test as unknown as TestRef), file, name },
    ...(isMode(mode) && { mode }),
    ...(Array.isArray(overrides) && { overrides: overrides.filter(isOverride) }),
  };
}

export function isLensTarget(target: LensTarget | RecordRequest): target is LensTarget {
  return "uri" in target;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

function isOverride(value: unknown): value is readonly [Key, Mode] {
  return (
    Array.isArray(value) && typeof value[0] === "string" && value[0].startsWith("sha256:") && isMode(value[1])
  );
}
