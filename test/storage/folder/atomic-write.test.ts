import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimByReservation, claimName } from "../../../src/storage/folder/atomic-write.ts";
import { writeTemporary } from "../../../src/storage/folder/temporary.ts";
import { aFolder } from "../../support/a-folder.ts";

const name = `${"ab".repeat(32)}.json`;

it.each([
  ["with hard links", claimName],
  ["without hard links", claimByReservation],
])("a name is given once, and what has it is not written over (%s)", async (_, claim) => {
  const folder = aFolder();
  const contents = ["one", "two", "three", "four"];
  const temporaries = await Promise.all(contents.map((content) => writeTemporary(folder, content)));

  const won = await Promise.all(temporaries.map((path) => claim(path, join(folder, name))));
  const late = await claim(await writeTemporary(folder, "late"), join(folder, name));

  const winner = contents[won.indexOf(true)];
  expect(late).toBe(false);
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(join(folder, name), "utf8")).toBe(winner);
  expect(readdirSync(folder).filter((file) => !file.endsWith(".tmp"))).toEqual([name]);
});

it("a reservation that a dead process left costs its name and tears nothing", async () => {
  const folder = aFolder();
  writeFileSync(join(folder, `.${name}.reserved`), "");
  const temporary = await writeTemporary(folder, "whole");

  const first = await claimByReservation(temporary, join(folder, name));
  const second = await claimByReservation(temporary, join(folder, name.replace(".json", ".2.json")));

  expect([first, second]).toEqual([false, true]);
  expect(readFileSync(join(folder, name.replace(".json", ".2.json")), "utf8")).toBe("whole");
});
