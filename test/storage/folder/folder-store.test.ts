import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import { createFolderStore, listStrays } from "../../../src/storage/folder/folder-store.ts";
import { storeContract } from "../../contract/store-contract.ts";
import { aFolder } from "../../support/a-folder.ts";
import { replyOf } from "../../support/reply-of.ts";
import { discardLeftOver } from "../../../src/storage/folder/durable-write.ts";
import { aRecording, aReplyOf, sha256, textOf } from "../../support/a-recording.ts";
import { filesBelow } from "../../support/files-below.ts";

storeContract("the folder store", () => createFolderStore(join(aFolder(), ".tapedeck")));

function filesIn(dir: string): string[] {
  return filesBelow(dir)
    .filter((file) => !file.endsWith(".gitignore"))
    .map((file) => file.replaceAll("\\", "/"));
}

async function replyText(store: CassetteStore, entry: string): Promise<string> {
  return textOf((await replyOf(store, entry)).body);
}

describe("a folder of recordings", () => {
  it("is made by the first recording and not before", async () => {
    const dir = join(aFolder(), "deep", ".tapedeck");
    const store = createFolderStore(dir);
    const { provider, key } = aRecording();

    store.takes(provider, key);
    await store.list();
    store.watch(() => {}).dispose();
    const before = existsSync(dir);
    const { entry } = await store.save(aRecording());

    expect(before).toBe(false);
    expect(filesIn(dir)).toEqual([entry]);
    expect(readFileSync(join(dir, entry), "utf8")).toBe(encodeRecording(aRecording()).text);
  });

  it("may be a link itself, since the user named it", async () => {
    const home = aFolder();
    mkdirSync(join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), join(home, ".tapedeck"));
    const store = createFolderStore(join(home, ".tapedeck"));

    const { entry } = await store.save(aRecording());

    expect(filesIn(join(home, "elsewhere"))).toEqual([entry]);
  });

  it("keeps large binaries beside the recordings, once each", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const audio = new Uint8Array(70_000).fill(200);
    const spoken = aRecording({ reply: { contentType: "audio/mpeg", body: audio } });

    const { entry } = await store.save(spoken);
    await store.save(spoken);

    expect(filesIn(dir).filter((file) => file.startsWith("blobs/"))).toEqual([`blobs/${sha256(audio)}`]);
    expect(sha256((await replyOf(store, entry)).body)).toBe(sha256(audio));
  });

  it.each([
    ["LF", "a line of a file\n", /\n/g, "\r\n"],
    ["CRLF", "a line of a file\r\n", /\r\n/g, "\n"],
  ])("are read as recorded, with %s, though git changed their line ends", async (_, line, ends, changed) => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const text = line.repeat(5_000);
    const document = Buffer.from(text).toString("base64");
    const { entry } = await store.save(aReplyOf(document));
    const blob = filesIn(dir).find((file) => file.startsWith("blobs/")) ?? "";
    writeFileSync(join(dir, blob), text.replace(ends, changed));

    expect(await replyText(createFolderStore(dir), entry)).toContain(document);
  });

  it("names the blob that a recording lacks", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const audio = new Uint8Array(70_000).fill(201);
    const { entry } = await store.save(aRecording({ reply: { contentType: "audio/mpeg", body: audio } }));
    rmSync(join(dir, "blobs", sha256(audio)));

    await expect(replyOf(createFolderStore(dir), entry)).rejects.toThrow(
      `refers to blobs/${sha256(audio)}, which does not exist`,
    );
  });
});

describe("what others do to the files", () => {
  it("counts at the next call: an edit of a reply, however soon after the last", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry } = await store.save(aReplyOf("edit 000"));
    const path = join(dir, entry);
    const seen: string[] = [];

    for (let edit = 1; edit <= 300; edit += 1) {
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(/edit \d+/, `edit ${String(edit).padStart(3, "0")}`));
      seen.push(await replyText(store, entry));
    }

    expect(
      seen.filter((text, index) => text !== `{"text":"edit ${String(index + 1).padStart(3, "0")}"}`),
    ).toEqual([]);
  });

  it("counts even if an edit kept size and time stamp", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry } = await store.save(aReplyOf("one"));
    const path = join(dir, entry);
    const old = new Date("2020-01-01T00:00:01.500Z");
    utimesSync(path, old, old);
    await vi.waitUntil(() => Date.now() - statSync(path).ctimeMs > 100, { timeout: 600_000 });
    await replyText(store, entry);

    writeFileSync(path, readFileSync(path, "utf8").replace("one", "two"));
    utimesSync(path, old, old);

    expect(await replyText(store, entry)).toBe('{"text":"two"}');
  });

  it("counts at the next call: files that come and go, however quickly", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry, provider, key } = await store.save(aReplyOf("one"));
    const text = readFileSync(join(dir, entry), "utf8");
    const counts: number[] = [];

    for (let round = 0; round < 100; round += 1) {
      writeFileSync(join(dir, entry.replace(".json", ".2.json")), text);
      counts.push(store.takes(provider, key).length);
      rmSync(join(dir, entry.replace(".json", ".2.json")));
      counts.push(store.takes(provider, key).length);
    }
    rmSync(dir, { recursive: true });
    const gone = store.takes(provider, key).length;
    mkdirSync(join(dir, dirname(entry)), { recursive: true });
    writeFileSync(join(dir, entry), text);

    expect(counts.filter((count, index) => count !== (index % 2 === 0 ? 2 : 1))).toEqual([]);
    expect(gone).toBe(0);
    expect(store.takes(provider, key)).toHaveLength(1);
  });

  it("is reported when it broke a file, and hides no other", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const broken = await store.save(aReplyOf("one"));
    const whole = await store.save(aReplyOf("two", "Another question?"));
    const text = readFileSync(join(dir, broken.entry), "utf8");
    await replyText(store, broken.entry);

    writeFileSync(join(dir, broken.entry), text.slice(0, 100));

    await expect(replyOf(store, broken.entry)).rejects.toThrow(`${broken.entry}:`);
    expect(await store.list()).toHaveLength(2);
    expect(await replyText(store, whole.entry)).toBe('{"text":"two"}');
    expect(readFileSync(join(dir, broken.entry), "utf8")).toBe(text.slice(0, 100));
  });

  it("can be undone byte for byte, also when the file was broken", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry } = await store.save(aReplyOf("one"));
    writeFileSync(join(dir, entry), Uint8Array.of(255, 0, 10, 13));

    const removed = await store.remove(entry);
    const left = filesIn(dir);
    await removed.restore();

    expect(left).toEqual([]);
    expect([...readFileSync(join(dir, entry))]).toEqual([255, 0, 10, 13]);
  });
});

describe("foreign files among the recordings", () => {
  it("is named with a reason, left alone, and not listed", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry } = await store.save(aRecording());
    const folder = dirname(entry);
    writeFileSync(join(dir, folder, "notes.txt"), "");
    writeFileSync(join(dir, folder, ".DS_Store"), "");
    writeFileSync(join(dir, entry.replace(".json", ".1.json")), "");
    mkdirSync(join(dir, "calls/OpenAI/ab"), { recursive: true });
    writeFileSync(join(dir, "calls/OpenAI/ab", `${"ab".repeat(32)}.json`), "");
    mkdirSync(join(dir, `${folder}/inner`));

    const strays = listStrays(dir);

    expect(strays).toEqual(
      [
        {
          path: `calls/OpenAI/ab/${"ab".repeat(32)}.json`,
          reason: `"OpenAI" is not a valid folder name of a provider.`,
        },
        { path: entry.replace(".json", ".1.json"), reason: "the first take has no number in its name." },
        { path: `${folder}/inner`, reason: "it is a folder among recordings." },
        {
          path: `${folder}/notes.txt`,
          reason:
            "its name is not a key of 64 lower-case hex digits, with .2, .3 … before .json for more takes.",
        },
      ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
    expect(await store.list()).toHaveLength(1);
    expect(filesIn(dir)).toHaveLength(5);
  });

  it("is not followed when it is a link", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry, provider, key } = await store.save(aRecording());
    symlinkSync(join(dir, entry), join(dir, entry.replace(".json", ".2.json")));

    expect(store.takes(provider, key)).toHaveLength(1);
    expect(await store.list()).toHaveLength(1);
    await expect(replyOf(store, entry.replace(".json", ".2.json"))).rejects.toThrow("it is a symbolic link");
    expect(listStrays(dir)).toMatchObject([
      { reason: "it is a symbolic link, and links are not followed here." },
    ]);
  });

  it("is deleted if it is an unfinished file that was unchanged for days", async () => {
    const dir = aFolder();
    const store = createFolderStore(dir);
    const { entry } = await store.save(aRecording());
    const [old, young] = ["1", "2"].map((pid) => join(dir, dirname(entry), `.${pid}-0123456789abcdef.tmp`));
    for (const path of [old!, young!]) writeFileSync(path, "{");
    utimesSync(old!, 0, new Date("2020-01-01"));

    await discardLeftOver(dir);

    expect([existsSync(old!), existsSync(young!)]).toEqual([false, true]);
    expect(listStrays(dir)).toEqual([]);
  });
});

describe("a folder that cannot be used", () => {
  it("is reported and left alone when a file is in its place", async () => {
    const file = join(aFolder(), "tapedeck");
    writeFileSync(file, "mine");
    const store = createFolderStore(file);
    const { provider, key } = aRecording();
    const reason = "a file is in the place of a folder";

    expect(() => store.takes(provider, key)).toThrow(reason);
    await expect(store.list()).rejects.toThrow(reason);
    await expect(store.save(aRecording())).rejects.toMatchObject({
      code: "tapedeck_cassette",
      message: `The cassette folder ${file} cannot be used: a file is in the place of a folder.`,
    });
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("is not written to through a link inside it", async () => {
    const [dir, outside] = [aFolder(), aFolder()];
    symlinkSync(outside, join(dir, "calls"));
    const store = createFolderStore(dir);

    await expect(store.save(aRecording())).rejects.toThrow("calls in it is a symbolic link");

    expect(filesIn(outside)).toEqual([]);
    expect(listStrays(dir)).toEqual([
      { path: "calls", reason: "it is a symbolic link, and links are not followed here." },
    ]);
  });

  it("does not let an entry's path lead out of it", async () => {
    const dir = aFolder();
    writeFileSync(join(dir, "secret.json"), "{}");
    const store = createFolderStore(join(dir, "cassettes"));

    await expect(store.read("../secret.json")).rejects.toThrow("it is not at calls/");
    await expect(store.remove("../secret.json")).rejects.toThrow("There is no recording");
    expect(statSync(join(dir, "secret.json")).size).toBe(2);
  });
});
