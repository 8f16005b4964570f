import fs, { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  claimName,
  makeFolders,
  replaceWhole,
  writeTemporary,
} from "../../../src/storage/folder/durable-write.ts";
import { asPlatform } from "../../support/as-platform.ts";
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

/** Holds each sync until the returned function is called, with the error that the syncs shall have. */
function holdSyncs(): (error: Error | null) => void {
  const { fsync } = fs;
  const held: fs.NoParamCallback[] = [];
  fs.fsync = Object.assign((_: number, done: fs.NoParamCallback) => void held.push(done), fsync);
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fsync = fsync;
    syncBuiltinESMExports();
  });
  return (error) => held.splice(0).forEach((done) => done(error));
}

it("a new folder is durable before a second call may use it, also if the first could not sync it", async () => {
  const dir = join(aFolder(), ".tapedeck");
  const endSyncs = holdSyncs();
  const ended: string[] = [];
  const make = async (which: string): Promise<void> => {
    await makeFolders(dir, "calls/openai/ab").then(
      () => ended.push(`${which} made it`),
      () => ended.push(`${which} failed`),
    );
  };

  const both = [make("first"), make("second")];
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  endSyncs(new Error("the disk failed"));
  await Promise.all(both);
  const third = make("third");
  await new Promise(setImmediate);
  expect(ended).toEqual(["first failed", "second failed"]);
  endSyncs(null);
  await third;
  expect(ended.at(-1)).toBe("third made it");
});

/** Has the first renames fail as on Windows while another program has the file open. */
function refuseRenames(count: number): void {
  const { renameSync } = fs;
  let tries = 0;
  fs.renameSync = (from, to) => {
    tries += 1;
    if (tries <= count) throw Object.assign(new Error("in use"), { code: "EPERM" });
    renameSync(from, to);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  });
}

it.each<[NodeJS.Platform, number, string, string]>([
  ["win32", 3, "waits for another program that has the file open", "new"],
  ["win32", 10_000, "fails if the file stays open", "old"],
  ["linux", 3, "fails at once elsewhere", "old"],
])("on %s with %i refused renames, replacing a file %s", async (platform, count, _, content) => {
  const folder = aFolder();
  const path = join(folder, name);
  writeFileSync(path, "old");
  asPlatform(platform);
  refuseRenames(count);

  const outcome = await replaceWhole(path, "new").then(
    () => "new",
    () => "old",
  );

  expect(outcome).toBe(content);
  expect(readFileSync(path, "utf8")).toBe(content);
  expect(readdirSync(folder)).toEqual([name]);
});
