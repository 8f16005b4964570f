import { expect, test } from "vitest";
import { findOwners, type OwnedTakes } from "../../../../src/core/answer/source/owned-takes.ts";
import { createFolderStore } from "../../../../src/storage/folder/folder-store.ts";
import { aRecording, bytes } from "../../../support/a-recording.ts";
import { aFolder } from "../../../support/a-folder.ts";

/** Takes of one call in a folder, each with its answer and the cassette that it was imported from, if it was. */
async function ownersAmong(...takes: readonly (readonly [answer: string, cassette?: string])[]) {
  const store = createFolderStore(aFolder());
  const entries: string[] = [];
  for (const [answer, cassette] of takes) {
    const recording = aRecording({ reply: { body: bytes(JSON.stringify({ answer })) } });
    const saved = await store.save(
      cassette === undefined ? recording : { ...recording, cassettes: [cassette] },
    );
    entries.push(saved.entry);
  }
  return findOwners(entries, store, () => entries);
}

const first = (owned: OwnedTakes | null) => owned?.choose({ test: undefined, cassette: undefined }, 1, 0);

test("recorded takes have no owners, and a single cassette needs none", async () => {
  expect(await ownersAmong(["a"], ["b"])).toBeNull();
  expect(await ownersAmong(["a"], ["b", "one.yaml"])).toBeNull();
});

test("a recorded take beside those of two cassettes answers without a note only if all three are equal", async () => {
  const agreed = await ownersAmong(["a"], ["a", "one.yaml"], ["a", "two.yaml"]);
  const other = await ownersAmong(["a"], ["a", "one.yaml"], ["b", "two.yaml"]);
  const alone = await ownersAmong(["c"], ["a", "one.yaml"], ["a", "two.yaml"]);

  expect(agreed).not.toBeNull();
  expect(first(agreed)).toBeUndefined();
  for (const differing of [other, alone])
    expect(first(differing)).toMatchObject({
      index: 0,
      reason: expect.stringContaining("several cassettes"),
    });
});

test("a named cassette answers, and an unknown name is reported", async () => {
  const owned = await ownersAmong(["a", "vcr/one.yaml"], ["b", "vcr/two.yaml"]);
  const choose = (cassette: string) => owned?.choose({ test: undefined, cassette }, 1, 0);

  expect(choose("vcr/two.yaml")).toEqual({ index: 1, runOut: 0 });
  expect(choose("./vcr/two")).toEqual({ index: 1, runOut: 0 });
  expect(choose("two")).toEqual({ index: 1, runOut: 0 });
  expect(choose("wo")).toMatchObject({ index: 0, reason: expect.stringContaining('"wo"') });
});
