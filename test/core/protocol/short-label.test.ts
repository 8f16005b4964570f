import { expect, it } from "vitest";
import { shortenLabel } from "../../../src/core/protocol/base/operation.ts";

it("a label is the first line, cut between characters as people count them", () => {
  const long = "🦊".repeat(79);

  expect(shortenLabel("  one line \n and another")).toBe("one line");
  expect(shortenLabel(`${long}🦊`)).toBe(`${long}🦊`);
  expect(shortenLabel(`${long}🦊🦊`)).toBe(`${long}…`);
  expect(shortenLabel(`a${long}🦊`)).toBe(`a${"🦊".repeat(78)}…`);
});
