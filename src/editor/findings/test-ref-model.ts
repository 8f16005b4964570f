import { fieldsOf, isTexts } from "../../core/base/lenient.ts";
import type { TestRef } from "../../core/call/call.ts";

/**
 * Reads what is needed to find a test again, and where its call was made, from a value that may have been made up;
 * undefined where that is not all there. A name without titles means the file.
 */
export function testRefFrom(value: unknown): TestRef | undefined {
  const { file, name, line, joined, id, at } = fieldsOf(value);
  if (typeof file !== "string" || file === "" || !isTexts(name)) return undefined;
  const place = placeFrom(at);
  return {
    file,
    name,
    ...(isLine(line) && { line }),
    ...(typeof joined === "string" && { joined }),
    ...(typeof id === "string" && { id }),
    ...(place && { at: place }),
  };
}

/** Whether a file is this one or lies in this folder, both as tests name them. */
export const isAtOrIn = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);

/** The same test in a file of another name; undefined where the renaming does not concern it. */
export function renamedTest(test: TestRef, from: string, to: string): TestRef | undefined {
  return isAtOrIn(test.file, from) ? { ...test, file: to + test.file.slice(from.length) } : undefined;
}

function placeFrom(value: unknown): TestRef["at"] | undefined {
  const { file, line } = fieldsOf(value);
  return typeof file === "string" && isLine(line) ? { file, line } : undefined;
}

/** 1-based. */
export function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
