import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { computeSha256 } from "../../../src/storage/folder/sha256.ts";

it.each([
  ["letters", "word ".repeat(50_000)],
  ["characters of two units, wherever a text is cut", `a${"🦊".repeat(100_000)}`],
  ["the same a unit later", "🦊".repeat(100_000)],
  ["halves that stand alone", "x\ud83d".repeat(70_000)],
])("a text of megabytes is hashed as its UTF-8: %s", (_, text) => {
  expect(computeSha256(text)).toBe(createHash("sha256").update(Buffer.from(text)).digest("hex"));
});
