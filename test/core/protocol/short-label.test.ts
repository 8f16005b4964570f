import { expect, it, vi } from "vitest";
import { shortLabel } from "../../../src/core/protocol/base/operation.ts";

it("a label is the first line, cut between characters as people count them", () => {
  const long = "🦊".repeat(79);

  expect(shortLabel("  one line \n and another")).toBe("one line");
  expect(shortLabel(`${long}🦊`)).toBe(`${long}🦊`);
  expect(shortLabel(`${long}🦊🦊`)).toBe(`${long}…`);
  expect(shortLabel(`a${long}🦊`)).toBe(`a${"🦊".repeat(78)}…`);
});

it("a text of megabytes is split only as far as the label shows", () => {
  const from = vi.spyOn(Array, "from");

  expect(shortLabel("word ".repeat(1_000_000))).toHaveLength(80);

  expect(from.mock.calls.map(([text]) => (text as unknown as string).length)).toEqual([162]);
  from.mockRestore();
});
