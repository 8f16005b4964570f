import type { TestRef } from "../call.ts";
import type { Span } from "./rendered-document.ts";

/** "tests/chat.test.ts:12", or the file alone where the line is not known. */
export function testPlace({ file, line }: TestRef): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** "chat › answers in one word"; empty for a call outside of any test of its file. */
export function testTitle({ name }: TestRef): string {
  return name.join(" › ");
}

/** A test for a reader: its place, which is a link, then the titles, outermost first, after `gap`. */
export function testSpans(test: TestRef, gap = "  "): readonly Span[] {
  const { file, line, name } = test;
  const target = { kind: "test" as const, file, ...(line !== undefined && { line }) };
  const place = { text: testPlace(test), target };
  return name.length === 0 ? [place] : [place, `${gap}${testTitle(test)}`];
}
