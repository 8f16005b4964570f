import { expect, it } from "vitest";
import { findRecordings } from "../../../src/editor/call-commands/found-recordings-model.ts";
import { aCallsTree, aChat } from "../calls-tree/a-calls-tree.ts";

async function aFolderToFindIn(questions: readonly string[]) {
  const { index, store, model } = aCallsTree();
  const entries: string[] = [];
  for (const [day, question] of questions.entries()) {
    const recordedAt = `2026-01-0${day + 1}T12:00:00Z`;
    entries.push((await store.save(aChat(question, { recordedAt }))).entry);
  }
  const find = (text: string, except?: string) =>
    findRecordings(text, model.rows, { most: 3, except, now: Date.parse("2026-01-10T12:00:00Z") });
  const labels = async (text: string, except?: string) =>
    (await find(text, except)).map(({ label }) => label.replaceAll('"', ""));
  return { index, entries, find, labels };
}

it("recordings are found while they are read, the newest first, with matching labels before others", async () => {
  const { index, entries, labels } = await aFolderToFindIn([
    "Where is parcel 1?",
    "Where is parcel 2?",
    "A letter?",
    "Where is parcel 3?",
  ]);
  const [, second = ""] = entries;
  expect(await labels("parcel")).toEqual([]);

  await index.ensure(entries.slice(0, 2));
  expect(await labels("parcel")).toEqual(["Where is parcel 2?", "Where is parcel 1?"]);
  await index.ensure(entries);

  expect(await labels("parcel")).toEqual(["Where is parcel 3?", "Where is parcel 2?", "Where is parcel 1?"]);
  expect(await labels("parcel", second)).toEqual(["Where is parcel 3?", "Where is parcel 1?"]);
  expect(await labels("")).toHaveLength(3);
});

it("a word that the row does not show is shown with the words around it", async () => {
  const filler = "one two three four five six seven eight nine ten eleven twelve thirteen ";
  const question = `Please sort this ticket.\n${filler}the needle is here ${filler}`;
  const { index, entries, find } = await aFolderToFindIn([question]);
  await index.ensure(entries);

  const [found] = await find("needle");

  expect(found?.detail).toMatch(/^….*\bthe needle is here one two.*…$/u);
  expect(found?.detail?.length).toBeLessThan(110);
  expect((await find("sort this"))[0]?.detail).toBe("");
});
