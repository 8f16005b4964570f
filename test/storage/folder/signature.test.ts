import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSignature, isUnchanged } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";

function aFile() {
  const path = join(aFolder(), "file");
  writeFileSync(path, "content");
  return statSync(path);
}

it("a file that has not changed since it was read is current", () => {
  const stats = aFile();

  expect(isUnchanged(createSignature(stats, stats.ctimeMs + 2_200), stats)).toBe(true);
});

it("a file read within the tick in which it was written may have changed again in it", () => {
  const stats = aFile();

  expect(isUnchanged(createSignature(stats, stats.ctimeMs + 1_900), stats)).toBe(false);
});

it("a time stamp from the future proves nothing", () => {
  const stats = aFile();

  expect(isUnchanged(createSignature(stats, stats.ctimeMs - 60_000), stats)).toBe(false);
});

it.each(["ino", "size", "mtimeMs", "ctimeMs"] as const)("another %s is another state", (property) => {
  const stats = aFile();
  const seen = createSignature(stats, stats.ctimeMs + 2_200);

  expect(isUnchanged(seen, Object.assign(stats, { [property]: 1 }))).toBe(false);
});
