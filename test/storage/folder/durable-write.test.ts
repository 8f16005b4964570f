import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimName, writeTemporary } from "../../../src/storage/folder/durable-write.ts";
import { aFolder } from "../../support/a-folder.ts";

const name = `${"ab".repeat(32)}.json`;

it("a name is used once, and its file is not overwritten", async () => {
  const folder = aFolder();
  const contents = ["one", "two", "three", "four"];
  const temporaries = await Promise.all(contents.map((content) => writeTemporary(folder, content)));

  const won = temporaries.map((path) => claimName(path, join(folder, name)));
  const late = claimName(await writeTemporary(folder, "late"), join(folder, name));

  const winner = contents[won.indexOf(true)];
  expect(late).toBe(false);
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(join(folder, name), "utf8")).toBe(winner);
  expect(readdirSync(folder).filter((file) => !file.endsWith(".tmp"))).toEqual([name]);
});
