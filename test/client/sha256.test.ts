import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { computeSha256 } from "../../src/client/sha256.ts";

test("hashes are those of SHA-256, whatever the length", () => {
  const texts = Array.from({ length: 200 }, (_, length) => "é😀a\0".repeat(length).slice(0, length));

  expect(texts.map((text) => computeSha256(text))).toEqual(
    texts.map((text) => createHash("sha256").update(text).digest("hex")),
  );
});
