import { expect, it, vi } from "vitest";
import { shortenLabel } from "../../../src/core/protocol/base/operation.ts";

it("a label is the first line, cut between characters as people count them", () => {
  const long = "🦊".repeat(79);

  expect(shortenLabel("  one line \n and another")).toBe("one line");
  expect(shortenLabel(`${long}🦊`)).toBe(`${long}🦊`);
  expect(shortenLabel(`${long}🦊🦊`)).toBe(`${long}…`);
  expect(shortenLabel(`a${long}🦊`)).toBe(`a${"🦊".repeat(78)}…`);
});

it("a text of megabytes is split only as far as the label shows", () => {
  const from = vi.spyOn(Array, "from");

  expect(shortenLabel("word ".repeat(1_000_000))).toHaveLength(80);
  expect(Array.from(shortenLabel("🦊".repeat(1_000_000)))).toHaveLength(80);

  expect(from.mock.calls[0]?.[0]).toHaveLength(161);
  from.mockRestore();
});
