import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readLocal, updateLocal } from "../../../src/storage/local/local-state.ts";
import { aFolder } from "../../support/a-folder.ts";

it("what belongs to this machine comes back as it was and is out of git's sight", async () => {
  const dir = join(aFolder(), ".tapedeck");

  const before = await readLocal(dir, "candidates");
  const made = existsSync(dir);
  await updateLocal(dir, "candidates", () => ({ entries: ["a"] }));
  await updateLocal(dir, "candidates", () => ({ entries: ["a", "b"] }));

  expect([before, made]).toEqual([undefined, false]);
  expect(await readLocal(dir, "candidates")).toEqual({ entries: ["a", "b"] });
  expect(readFileSync(join(dir, ".local/.gitignore"), "utf8")).toBe("*\n");
  expect(readdirSync(join(dir, ".local")).sort()).toEqual([".gitignore", "candidates.json"]);
});

it("a folder that cannot be used is reported", async () => {
  const file = join(aFolder(), "file");
  writeFileSync(file, "");

  await expect(updateLocal(file, "usage", () => 1)).rejects.toMatchObject({ code: "tapedeck_cassette" });
});
