import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodeRecording } from "../../src/core/cassette/codec.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { aFolder } from "../support/a-folder.ts";
import { anEngine, aRun, chatCall, textOf } from "../support/an-engine.ts";

it("a recording that someone deletes is a miss at the next call, not a failure", async () => {
  const dir = aFolder();
  const { engine } = anEngine(undefined, { store: createFolderStore(dir) });
  const { entry = "" } = await engine.answer(chatCall(aRun("record"), "hi"));
  const strict = aRun("strict");
  const before = await engine.answer(chatCall(strict, "hi"));

  await rm(join(dir, entry));
  const after = await engine.answer(chatCall(strict, "hi"));

  expect([before.outcome, after.outcome]).toEqual(["replayed", "miss"]);
  expect(await textOf(after)).toContain("No recording for this gpt-4o-mini call");
});

it("a reply that someone edits is given at the next call", async () => {
  const dir = aFolder();
  const { engine, store } = anEngine(undefined, { store: createFolderStore(dir) });
  const { entry = "" } = await engine.answer(chatCall(aRun("record"), "hi"));
  const strict = aRun("strict");
  await engine.answer(chatCall(strict, "hi"));

  const recording = await store.read(entry);
  const body = Buffer.from(Buffer.from(recording.reply.body).toString().replace("hello", "edited"));
  await writeFile(
    join(dir, entry),
    encodeRecording({ ...recording, reply: { ...recording.reply, body } }).text,
  );
  const edited = await engine.answer(chatCall(strict, "hi"));

  expect(await textOf(edited)).toContain("edited");
});
