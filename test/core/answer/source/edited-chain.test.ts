import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolderStore } from "../../../../src/storage/folder/folder-store.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { aClient, ask, play, said, type Client } from "../../../support/a-chain-client.ts";
import { aFolder } from "../../../support/a-folder.ts";
import { aStatefulProvider } from "../../../support/a-stateful-provider.ts";
import { aRun, anEngine } from "../../../support/an-engine.ts";
import { filesBelow } from "../../../support/files-below.ts";

it("a chain that is recorded again keeps an edit by hand that is saved meanwhile, and replaces nothing", async () => {
  const dir = aFolder();
  const [store, provider] = [createFolderStore(dir), aStatefulProvider()];
  const twoTurns = (second: string) => async (client: Client) => {
    const one = await ask(client, "one");
    return [one, await ask(client, second, { previous_response_id: one["id"] })].map(said);
  };
  await play(twoTurns("two"), "record", { store, provider });
  provider.forget();
  const files = (await store.list()).map(({ entry }) => join(dir, entry));
  const textsNow = (): readonly string[] => files.map((file) => readFileSync(file, "utf8"));
  const texts = textsNow();
  const root = texts.findIndex((text) => !text.includes("one | two"));
  const edited = texts.with(root, (texts[root] ?? "").replace('"text": "one"', '"text": "mine"'));
  const tested = anEngine(
    (request) => {
      if (Buffer.from(request.body).includes("TWO")) writeFileSync(files[root] ?? "", edited[root] ?? "");
      return provider.upstream(request);
    },
    { store },
  );

  await twoTurns("TWO")(aClient(tested, aRun("record")));

  expect(textsNow()).toEqual(edited);
  expect(await store.list()).toHaveLength(2);
  expect(tested.events.map(({ outcome }) => outcome)).toEqual(["replayed", "forwarded", "forwarded"]);
  expect(tested.warnings.at(-1)).toContain("was edited while its call was made again");
  expect(filesBelow(dir).filter((file) => file.endsWith(".tmp"))).toEqual([]);
  expect((await play(twoTurns("two"), "strict", { store })).result).toEqual(["mine", "one | two"]);
});

it("a chain is recorded again beyond a call that the client itself made again", async () => {
  const [store, provider] = [createMemoryStore(), aStatefulProvider()];
  const fourTurns = (last: string) => async (client: Client) => {
    const turns = [await ask(client, "one")];
    for (const text of ["two", "three", last])
      turns.push(await ask(client, text, { previous_response_id: turns.at(-1)?.["id"] }));
    return turns.map(said);
  };
  await play(fourTurns("four"), "record", { store, provider });
  provider.forget();
  for (const { entry } of await store.list())
    if (Buffer.from((await store.read(entry)).request.body).includes('"two"')) await store.remove(entry);

  const edited = await play(fourTurns("FOUR"), "record", { store, provider });
  const replayed = await play(fourTurns("FOUR"), "strict", { store });

  expect(edited.result).toEqual(["one", "one | two", "one | two | three", "one | two | three | FOUR"]);
  expect(replayed.result).toEqual(edited.result);
});
