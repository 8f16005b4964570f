import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { findFittingPlace } from "../../../src/storage/check/fitting-place.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf } from "../../support/a-recording.ts";

async function aCassette() {
  const dir = aFolder();
  const store = createFolderStore(dir);
  const { entry } = await store.save(aReplyOf("hi"));
  const move = (to: string): string => {
    mkdirSync(dirname(join(dir, to)), { recursive: true });
    renameSync(join(dir, entry), join(dir, to));
    return to;
  };
  return { dir, store, entry, move };
}

it.each([
  ["a name that is no key", "calls/openai/copy of it.json"],
  ["another key", `calls/openai/00/${"0".repeat(64)}.json`],
  ["another provider's folder", `calls/ollama/00/${"0".repeat(64)}.json`],
  ["an ending that is none", `calls/openai/00/${"0".repeat(64)}.json.orig`],
])("an intact recording under %s belongs at the path of its key", async (_, wrong) => {
  const { dir, store, entry, move } = await aCassette();

  const place = await findFittingPlace(dir, move(wrong));
  renameSync(join(dir, wrong), join(dir, place ?? ""));

  expect(place).toBe(entry);
  expect((await store.read(entry)).key).toBe(aReplyOf("hi").key);
});

it("where its place is taken it becomes the next take, and is never put over another", async () => {
  const { dir, entry } = await aCassette();
  cpSync(join(dir, entry), join(dir, "calls/openai/copy.json"));

  const place = await findFittingPlace(dir, "calls/openai/copy.json");

  expect(place).toBe(entry.replace(".json", ".2.json"));
  expect(existsSync(join(dir, place ?? ""))).toBe(false);
});

it("a broken file, a file that is no recording, and a correctly placed one have no better place", async () => {
  const { dir, entry } = await aCassette();
  const text = readFileSync(join(dir, entry), "utf8");
  writeFileSync(join(dir, "calls/openai/cut.json"), text.slice(0, -20));
  writeFileSync(join(dir, "calls/openai/notes.txt"), "buy milk");
  writeFileSync(join(dir, "calls/openai/evil.json"), text.replace('"openai"', '"../../../etc"'));

  const names = ["cut.json", "notes.txt", "evil.json", "not there.json"];
  const places = await Promise.all(
    [entry, "calls/openai", ...names.map((name) => `calls/openai/${name}`)].map((path) =>
      findFittingPlace(dir, path),
    ),
  );

  expect(places).toEqual(places.map(() => undefined));
});
