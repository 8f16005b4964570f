import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { asProgram } from "../../scripts/bundling.mjs";
import { addressOf } from "../../src/core/cassette/address.ts";
import { encodeRecording } from "../../src/core/cassette/codec.ts";
import type { Recording } from "../../src/core/cassette/recording.ts";
import { newSharedKey } from "../../src/remote/sealed/team-keys.ts";
import { sealObject } from "../../src/remote/sealed/seal.ts";
import { openTransfer } from "../../src/team/open-transfer.ts";
import { pull, type Pulled } from "../../src/team/pull.ts";
import { push } from "../../src/team/push.ts";
import { readRemoteSettings, type RemoteSettings } from "../../src/team/settings.ts";
import { aFolder, aLastingFolder } from "../support/a-folder.ts";
import { aReplyOf, sha256 } from "../support/a-recording.ts";

/** Enough for a thread to begin. */
const MANY = 320;

const programs = aLastingFolder();
afterAll(programs.remove);
const opening = join(programs.path, "opening.mjs");
await build({ ...asProgram, entryPoints: ["src/team/opening-worker.ts"], outfile: opening });
const log = join(programs.path, "opened.txt");
/** Notes how many it was sent at once. */
const thread = join(programs.path, "noting.mjs");
writeFileSync(
  thread,
  `import { appendFileSync } from "node:fs";
   import { parentPort } from "node:worker_threads";
   import ${JSON.stringify(opening)};
   parentPort.on("message", ({ objects }) => appendFileSync(${JSON.stringify(log)}, objects.length + "\\n"));`,
);
const dying = join(programs.path, "dying.mjs");
writeFileSync(dying, "throw new Error('no memory');");

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
  const write = (name: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(join(cache, name)), { recursive: true });
    writeFileSync(join(cache, name), bytes);
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
  if (index % 50 === 10) return { ...recording, exactKey: `sha256:${"0".repeat(64)}` };
  if (index % 50 !== 20) return recording;
  const picture = Buffer.alloc(60_000, index).toString("base64");
  return { ...recording, reply: { ...recording.reply, body: Buffer.from(JSON.stringify({ picture })) } };
}

function damaged(sealed: Uint8Array): Uint8Array {
  return Buffer.concat([sealed.subarray(0, -1), Buffer.from("!")]);
}

/** What a pull brings into a folder, and the files that are there afterwards. */
async function pulledBy(cache: string, openingProgram?: string) {
  const dir = join(aFolder(), ".tapedeck");
  mkdirSync(dir);
  const transfer = await openTransfer(dir, settingsOf(cache));
  const pulled = await pull({ ...transfer, ...(openingProgram !== undefined && { openingProgram }) });
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

it("many are brought by a thread as by none, and by one that dies", async () => {
  const cache = aCache();

  const alone = await pulledBy(cache);

  expect(alone.told.refused).toHaveLength(MANY / 10 + Math.floor(MANY / 50) + 1);
  expect(alone.told.brought).toHaveLength(MANY - alone.told.refused.length);
  expect(await pulledBy(cache, thread)).toEqual(alone);
  expect(
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map(Number)
      .reduce((sum, one) => sum + one),
  ).toBe(MANY);
  expect(await pulledBy(cache, dying)).toEqual(alone);
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
