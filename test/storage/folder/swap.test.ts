import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { swapIn } from "../../../src/storage/folder/swap.ts";
import { writeTemporary } from "../../../src/storage/folder/durable-write.ts";
import { aFolder } from "../../support/a-folder.ts";

it("what is written into the old file in the very moment of a swap is put back, and the new text is left", async () => {
  const folder = aFolder();
  const target = join(folder, "recording.json");
  writeFileSync(target, "old");
  const temporary = await writeTemporary(folder, "new");

  const isSwapped = swapIn(temporary, target, () => {
    writeFileSync(target, "mine");
    return true;
  });

  expect(isSwapped).toBe(false);
  expect(readFileSync(target, "utf8")).toBe("mine");
  expect(readFileSync(temporary, "utf8")).toBe("new");
  expect(readdirSync(folder)).toHaveLength(2);
});

it("a swap leaves nothing beside the new text", async () => {
  const folder = aFolder();
  const target = join(folder, "recording.json");
  writeFileSync(target, "old");

  const isSwapped = swapIn(await writeTemporary(folder, "new"), target, () => true);

  expect(isSwapped).toBe(true);
  expect(readdirSync(folder)).toEqual(["recording.json"]);
  expect(readFileSync(target, "utf8")).toBe("new");
});
