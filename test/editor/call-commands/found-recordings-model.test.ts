import { expect, it } from "vitest";
import { createFindRecordings } from "../../../src/editor/call-commands/found-recordings-model.ts";
import { aCallsTree, aChat, aTest } from "../calls-tree/a-calls-tree.ts";

/** Recordings of a folder, and how often each was looked at for what is typed. */
async function aFolderToFindIn(questions: readonly string[], keep?: { each: number; all: number }) {
  const tree = aCallsTree({ ...(keep && { keep }) });
  const entries: string[] = [];
  for (const [day, question] of questions.entries()) {
    const recordedAt = `2026-01-0${day + 1}T12:00:00Z`;
    entries.push((await tree.store.save(aChat(question, { recordedAt }))).entry);
  }
  const looks: string[] = [];
  const { rows } = tree.model;
  const watched: typeof rows = {
    ...rows,
    passes(filter, row) {
      looks.push(row.address.entry);
      return rows.passes(filter, row);
    },
  };
  const find = createFindRecordings(watched, 3);
  const labels = (text: string) =>
    find(text).then((found) =>
      found.map((row) => {
        const facts = rows.facts(row);
        return facts?.kind === "read" ? facts.label.replaceAll('"', "") : row.address.entry;
      }),
    );
  return { ...tree, entries, looks, find, labels };
}

const QUESTIONS = ["Where is parcel 1?", "Where is parcel 2?", "A letter?", "Where is parcel 3?"];

it("hits come as recordings are read, and each is looked at once for what is typed", async () => {
  const { index, entries, looks, labels } = await aFolderToFindIn(QUESTIONS);
  expect(await labels("parcel")).toEqual([]);

  await index.ensure(entries.slice(0, 2));
  expect(await labels("parcel")).toEqual(["Where is parcel 2?", "Where is parcel 1?"]);
  await index.ensure(entries);
  expect(await labels("parcel")).toEqual(["Where is parcel 3?", "Where is parcel 2?", "Where is parcel 1?"]);

  expect(looks.sort()).toEqual([...entries].sort());
});

it("what was found stays the same list while nothing is added to it", async () => {
  const { index, entries, find } = await aFolderToFindIn(QUESTIONS);
  await index.ensure(entries.slice(0, 2));
  const found = await find("parcel");
  await index.ensure(entries.slice(0, 3));

  expect(await find("parcel")).toBe(found);
  await index.ensure(entries);
  expect(await find("parcel")).not.toBe(found);
});

it("another text is looked for everywhere, and no more than was asked for is given", async () => {
  const { index, entries, looks, labels } = await aFolderToFindIn(QUESTIONS);
  await index.ensure(entries);
  await labels("letter");

  expect(await labels("parcel 1")).toEqual(["Where is parcel 1?"]);
  expect(await labels("")).toHaveLength(3);
  expect(looks).toHaveLength(12);
});

it("a recording that changed or is gone is no hit any more", async () => {
  const { index, store, entries, labels } = await aFolderToFindIn(QUESTIONS);
  await index.ensure(entries);
  await labels("parcel");
  await store.remove(entries[0] ?? "");

  expect(await labels("parcel")).toEqual(["Where is parcel 3?", "Where is parcel 2?"]);
});

it("a word beyond what is kept of a long text is found when the file was read again", async () => {
  const long = `Where? ${"word ".repeat(50)} needle`;
  const { index, entries, labels } = await aFolderToFindIn([long], { each: 40, all: 40 });
  await index.ensure(entries);
  expect(await labels("needle")).toEqual([]);

  await expect.poll(() => index.searches).toBe(0);
  expect(await labels("needle")).toHaveLength(1);
});

it("what a failed test recorded is offered, too", async () => {
  const { index, session, store, labels } = await aFolderToFindIn(["A letter?"]);
  const { entry } = await store.save(aChat("Where is parcel 9?"));
  session.recalled([{ entry, recordedAt: 1, test: aTest("a.test.ts", "fails"), outcome: "failed" }]);
  await index.ensure([entry]);

  expect(await labels("parcel")).toEqual(["Where is parcel 9?"]);
});
