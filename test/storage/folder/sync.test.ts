import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aFolder } from "../../support/a-folder.ts";
import { replyOf } from "../../support/reply-of.ts";
import { aReplyOf, textOf } from "../../support/a-recording.ts";

it("what is recorded at once shares the syncs of its folders, and each file has its own", async () => {
  const { fsync } = fs;
  let [files, folders] = [0, 0];
  const counting = (file: number, done: fs.NoParamCallback): void => {
    if (fs.fstatSync(file).isFile()) files += 1;
    else folders += 1;
    fsync(file, done);
  };
  fs.fsync = counting as typeof fsync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fsync = fsync;
    syncBuiltinESMExports();
  });
  const { createFolderStore } = await import("../../../src/storage/folder/folder-store.ts");
  const store = createFolderStore(join(aFolder(), ".tapedeck"));

  const texts = Array.from({ length: 20 }, (_, index) => `answer ${index}`);
  const saved = await Promise.all(texts.map((text) => store.save(aReplyOf(text))));

  const replies = await Promise.all(saved.map(({ entry }) => replyOf(store, entry)));
  expect(replies.map(({ body }) => textOf(body))).toEqual(texts.map((text) => JSON.stringify({ text })));
  expect(files).toBe(20);
  expect(folders).toBeGreaterThanOrEqual(5);
  expect(folders).toBeLessThan(60);
});
