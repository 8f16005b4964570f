import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { addressOf } from "../../src/core/cassette/address.ts";
import { encodeRecording } from "../../src/core/cassette/codec.ts";
import type { Recording } from "../../src/core/cassette/recording.ts";
import { newSharedKey } from "../../src/remote/sealed/team-keys.ts";
import { sealObject } from "../../src/remote/sealed/seal.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { teamLayerOf, TRUSTED } from "../../src/storage/team/team-layer.ts";
import { createTeamStore } from "../../src/storage/team/team-store.ts";
import { openTransfer } from "../../src/team/transfer.ts";
import { pull, type Pulled } from "../../src/team/pull.ts";
import { push } from "../../src/team/push.ts";
import { readRemoteSettings, type RemoteSettings } from "../../src/team/settings.ts";
import { aFolder } from "../support/a-folder.ts";
import { aReplyOf, bytes, sha256 } from "../support/a-recording.ts";

const MANY = 320;

const key = newSharedKey();

function settingsOf(cache: string): RemoteSettings {
  const read = readRemoteSettings({ address: cache, key, writes: true, encrypt: true }, {});
  if (read === undefined) throw new Error("no cache is named");
  return read;
}

/** A cache of many recordings: plain and encrypted ones, takes, some with large bodies, and some that are not to be used. */
function aCache(): string {
  const cache = aFolder();
  const { keys } = settingsOf(cache);
  const write = (name: string, content: Uint8Array): void => {
    mkdirSync(dirname(join(cache, name)), { recursive: true });
    writeFileSync(join(cache, name), content);
  };
  for (let index = 0; index < MANY; index += 1) {
    const recording = recordingOf(index);
    const { text, blobs } = encodeRecording(recording, { sha256 });
    const name = `trusted/${addressOf("openai", recording.key, 1 + Number(index % 16 === 1)).entry}`;
    const encrypt = index % 3 === 0;
    for (const [hash, blob] of blobs)
      write(`trusted/blobs/${hash}`, sealObject(`trusted/blobs/${hash}`, blob, keys, { encrypt }));
    const sealed = sealObject(name, Buffer.from(text), keys, { encrypt });
    write(name, index % 10 === 7 ? damaged(sealed) : sealed);
  }
  return cache;
}

function recordingOf(index: number): Recording {
  const recording = aReplyOf(`answer ${index}`, `question ${index - Number(index % 16 === 1)}`);
  if (index % 50 !== 20) return recording;
  const picture = Buffer.alloc(60_000, index).toString("base64");
  return { ...recording, reply: { ...recording.reply, body: bytes(JSON.stringify({ picture })) } };
}

function damaged(sealed: Uint8Array): Uint8Array {
  return Buffer.concat([sealed.subarray(0, -1), Uint8Array.of((sealed.at(-1) ?? 0) ^ 1)]);
}

/** What a pull brings into a folder, and the files that are there afterwards. */
async function pulledBy(cache: string, dir = join(aFolder(), ".tapedeck")) {
  mkdirSync(dir, { recursive: true });
  const transfer = await openTransfer(dir, settingsOf(cache));
  const pulled = await pull(transfer);
  await transfer.close();
  return { told: sorted(pulled), files: filesIn(dir) };
}

function sorted({ brought, here, refused }: Pulled) {
  return { brought: brought.toSorted(), here, refused: refused.toSorted() };
}

function filesIn(dir: string): ReadonlyMap<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    entries
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((path) => [path.slice(dir.length), sha256(readFileSync(path))]),
  );
}

it("of many, what is signed is brought as it is, and what was damaged is told", async () => {
  const cache = aCache();
  const dir = join(aFolder(), ".tapedeck");

  const { told, files } = await pulledBy(cache, dir);

  expect(told.refused).toHaveLength(MANY / 10);
  expect(told.brought).toHaveLength(MANY - MANY / 10);
  const layer = createFolderStore(teamLayerOf(dir, TRUSTED));
  const [plain, large] = [4, 20].map((index) => addressOf("openai", recordingOf(index).key, 1).entry);
  expect(await layer.read(plain!)).toEqual(recordingOf(4));
  expect(await layer.read(large!)).toEqual(recordingOf(20));
  const again = await pulledBy(cache, dir);
  expect(again.told.brought).toEqual([]);
  expect(again.files).toEqual(files);
});

it("what is signed and is of another request is brought, and answers nobody", async () => {
  const cache = aFolder();
  const dir = join(aFolder(), ".tapedeck");
  const { key: named } = recordingOf(2);
  const name = `trusted/${addressOf("openai", named, 1).entry}`;
  const { text } = encodeRecording({ ...recordingOf(3), key: named }, { sha256 });
  mkdirSync(dirname(join(cache, name)), { recursive: true });
  writeFileSync(join(cache, name), sealObject(name, Buffer.from(text), settingsOf(cache).keys));
  const { told } = await pulledBy(cache, dir);
  const warnings: string[] = [];
  const layerDir = teamLayerOf(dir, TRUSTED);
  const [folder, layer] = [createFolderStore(dir), createFolderStore(layerDir)];
  const warn = (message: string): void => void warnings.push(message);
  const store = createTeamStore({ dir, folder, layerDir, layer, warn });

  const reply = await store.replay("openai", named, ([first]) => first?.entry);

  expect(told.brought).toHaveLength(1);
  expect(reply).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining("has another key than the file")]);
});

it("what is signed and is of another request is left out alone: the call's other takes answer, in their order", async () => {
  const cache = aFolder();
  const dir = join(aFolder(), ".tapedeck");
  const own = [1, 2, 3].map((number) => aReplyOf(`answer ${number}`, "question"));
  const { key: named } = own[0]!;
  const takes = [own[0]!, { ...aReplyOf("a lie", "another question"), key: named }, own[1]!, own[2]!];
  for (const [at, recording] of takes.entries()) {
    const name = `trusted/${addressOf("openai", named, at + 1).entry}`;
    mkdirSync(dirname(join(cache, name)), { recursive: true });
    const { text } = encodeRecording(recording, { sha256 });
    writeFileSync(join(cache, name), sealObject(name, Buffer.from(text), settingsOf(cache).keys));
  }
  await pulledBy(cache, dir);
  const warnings: string[] = [];
  const layerDir = teamLayerOf(dir, TRUSTED);
  const [folder, layer] = [createFolderStore(dir), createFolderStore(layerDir)];
  const warn = (message: string): void => void warnings.push(message);
  const store = createTeamStore({ dir, folder, layerDir, layer, warn });
  const takeAt = (index: number) =>
    store.replay("openai", named, (found) => found[index]?.entry).then((reply) => reply?.body);

  const second = await takeAt(1);
  const all = [await takeAt(0), await takeAt(1), await takeAt(2), await takeAt(3)];

  expect(second).toEqual(own[1]!.reply.body);
  expect(all).toEqual([...own.map(({ reply }) => reply.body), undefined]);
  expect(warnings).toEqual([expect.stringContaining("has another key than the file")]);
});

it("takes of a call that a pull did not get to are brought by the next one", async () => {
  const cache = aFolder();
  const dir = join(aFolder(), ".tapedeck");
  const takes = [1, 2].map((number) => aReplyOf(`answer ${number}`, "question"));
  const entries = takes.map(({ key: named }, at) => addressOf("openai", named, at + 1).entry);
  for (const [at, entry] of entries.entries()) {
    const name = `trusted/${entry}`;
    mkdirSync(dirname(join(cache, name)), { recursive: true });
    const { text } = encodeRecording(takes[at]!, { sha256 });
    writeFileSync(join(cache, name), sealObject(name, Buffer.from(text), settingsOf(cache).keys));
  }
  // In the way of the second one: as a kill, it leaves what was written before.
  const inTheWay = join(teamLayerOf(dir, TRUSTED), entries[1]!);
  mkdirSync(inTheWay, { recursive: true });
  await expect(pulledBy(cache, dir)).rejects.toThrow(/EISDIR|directory/);
  rmSync(inTheWay, { recursive: true });

  const { told } = await pulledBy(cache, dir);

  expect(told.brought).toEqual(entries.toSorted());
});

it("one object that cannot be read is told, and ends nothing", async () => {
  const cache = aFolder();
  const { keys } = settingsOf(cache);
  const [good, bad] = [1, 2].map((number) => aReplyOf(`answer ${number}`, `question ${number}`));
  const names = [good, bad].map((one) => `trusted/${addressOf("openai", one!.key, 1).entry}`);
  for (const name of names) mkdirSync(dirname(join(cache, name)), { recursive: true });
  const { text } = encodeRecording(good!, { sha256 });
  writeFileSync(join(cache, names[0]!), sealObject(names[0]!, Buffer.from(text), keys));
  // Larger than any recording: 1 TiB of nothing.
  writeFileSync(join(cache, names[1]!), "");
  truncateSync(join(cache, names[1]!), 2 ** 40);

  const { told } = await pulledBy(cache);

  expect(told.brought).toEqual([addressOf("openai", good!.key, 1).entry]);
  expect(told.refused).toEqual([expect.stringMatching(/has an object larger than 256 MiB/)]);
});

it.skipIf(process.platform !== "linux")(
  "a folder that cannot be made is told, and nothing hangs",
  async () => {
    const transfer = await openTransfer("/proc/no-such/.tapedeck", settingsOf(aCache()));

    await expect(pull(transfer)).rejects.toMatchObject({
      code: "tapedeck_cassette",
      message: expect.stringContaining("The cassette folder /proc/no-such/.tapedeck cannot be used"),
    });
    await transfer.close();
  },
);

it("one recording that cannot be sent is told, and ends nothing", async () => {
  const cache = aFolder();
  const dir = join(aFolder(), ".tapedeck");
  const own = [1, 2].map((number) => aReplyOf(`answer ${number}`, `question ${number}`));
  const entries = own.map((one) => addressOf("openai", one.key, 1).entry);
  for (const [at, entry] of entries.entries()) {
    mkdirSync(dirname(join(dir, entry)), { recursive: true });
    writeFileSync(join(dir, entry), encodeRecording(own[at]!, { sha256 }).text);
  }
  mkdirSync(join(cache, "trusted/calls/openai"), { recursive: true });
  writeFileSync(join(cache, "trusted", dirname(entries[1]!)), "a file in the place of a folder");
  const transfer = await openTransfer(dir, { ...settingsOf(cache), encrypt: false });

  const { added, kept } = await push({ ...transfer, admit: async (recording) => recording });
  await transfer.close();

  expect(added).toEqual([entries[0]]);
  expect(kept).toEqual([
    { entry: entries[1], why: expect.stringContaining("a file in the place of the folder") },
  ]);
});
