import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createRecordingAddress } from "../../src/core/cassette/address.ts";
import { isEditedMeanwhile } from "../../src/core/cassette/edited-meanwhile.ts";
import { acceptCandidates, addCandidates, discardCandidates } from "../../src/storage/local/candidates.ts";
import { removeBlobs, findUnusedBlobs } from "../../src/storage/check/unused-blobs.ts";
import { renameRecordings } from "../../src/storage/names/rule-names.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { updateLocal } from "../../src/storage/local/local-state.ts";
import { aFolder } from "../support/a-folder.ts";
import { aRecording, aReplyOf, sha256 } from "../support/a-recording.ts";
import { filesBelow } from "../support/files-below.ts";

const AUDIO = new Uint8Array(70_000).fill(200);
const LONG_AGO = new Date(Date.now() - 86_400_000);

/** Everything below a folder, with its bytes. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filesBelow(folder).map((path) => [path, readFileSync(join(folder, path), "latin1")]),
  );
}

/** A folder in use: recordings, one of them refreshed, a blob that nothing names any more, what is new. */
async function aFolderInUse(): Promise<{ readonly dir: string; readonly entry: string }> {
  const dir = aFolder();
  const store = createFolderStore(dir);
  const { entry } = await store.save(aReplyOf("first"));
  await store.replace(entry, aReplyOf("second"));
  await createFolderStore(dir).replace(entry, aReplyOf("beside"), "the old content").catch(isEditedMeanwhile);
  const spoken = await store.save(aRecording({ reply: { contentType: "audio/mpeg", body: AUDIO } }));
  await addCandidates(dir, [{ entry, recordedAt: 1 }]);
  await store.remove(spoken.entry);
  utimesSync(join(dir, "blobs", sha256(AUDIO)), LONG_AGO, LONG_AGO);
  return { dir, entry };
}

/** All that the program does to the files of a folder; whether it may is another question. */
async function doEverything(dir: string, entry: string): Promise<readonly unknown[]> {
  const store = createFolderStore(dir);
  const deeds: readonly (() => Promise<unknown>)[] = [
    () => store.save(aReplyOf("third")),
    () => store.save(aReplyOf("other", "another question")),
    () => store.save(aRecording({ reply: { contentType: "audio/mpeg", body: AUDIO } })),
    () => store.replace(entry, aReplyOf("beside"), "the old content").catch(isEditedMeanwhile),
    () => store.replace(entry, aReplyOf("fourth")),
    () => addCandidates(dir, [{ entry, recordedAt: 2 }]),
    () => updateLocal(dir, "usage", () => ({ more: "use" })),
    () => discardCandidates({ dir, store }, [entry]).then((discarded) => discarded.undo()),
    () => acceptCandidates(dir, [entry]),
    async () => removeBlobs(dir, await findUnusedBlobs(dir, { without: new Set(), now: Date.now() })),
    () => removeBlobs(dir, [`blobs/${sha256(AUDIO)}`]),
    () => store.remove(entry).then((removed) => removed.restore()),
    () =>
      renameRecordings(dir, [
        { from: entry, to: createRecordingAddress("openai", `sha256:${"cd".repeat(32)}`, 1) },
      ]),
  ];
  const results: unknown[] = [];
  for (const deed of deeds) results.push(await deed().catch((error: unknown) => error));
  return results;
}

it.each([
  ".local",
  ".local/earlier",
  ".local/earlier/calls",
  "blobs",
  "calls",
  "calls/openai",
  "the folder of keys",
])("a link in the place of %s is not written through, whatever is done", async (place) => {
  const { dir, entry } = await aFolderInUse();
  const path = join(dir, place === "the folder of keys" ? dirname(entry) : place);
  const elsewhere = join(aFolder(), "elsewhere");
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
  const before = contentsOf(elsewhere);

  await doEverything(dir, entry);

  expect(Object.keys(before).length).toBeGreaterThan(0);
  expect(contentsOf(elsewhere)).toEqual(before);
});

it.each(["usage.json", "candidates.json", "facts.jsonl", ".gitignore", "usage.lock"])(
  "a link in the place of the file .local/%s is not written through",
  async (name) => {
    const { dir, entry } = await aFolderInUse();
    const elsewhere = aFolder();
    mkdirSync(join(elsewhere, "kept"));
    const target = join(elsewhere, "not-there-yet");
    const path = join(dir, ".local", name);
    renameSync(join(dir, ".local"), join(elsewhere, "kept", "local"));
    mkdirSync(join(dir, ".local"));
    symlinkSync(target, path);
    const before = contentsOf(elsewhere);

    if (name !== "usage.lock") await doEverything(dir, entry);
    else await createFolderStore(dir).save(aReplyOf("third"));

    expect(contentsOf(elsewhere)).toEqual(before);
  },
);

it("without a link all of that is done", async () => {
  const { dir, entry } = await aFolderInUse();

  const results = await doEverything(dir, entry);

  expect(results.filter((result) => result instanceof Error)).toEqual([]);
  expect(readdirSync(join(dir, "blobs"))).toEqual([]);
});
