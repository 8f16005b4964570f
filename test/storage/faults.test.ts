import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { makeReadOnly, mayMount, mountDisk } from "../support/a-disk.ts";
import { aFolder } from "../support/a-folder.ts";
import { replyOf } from "../support/reply-of.ts";
import { aRecording, aReplyOf, bytes, textOf } from "../support/a-recording.ts";
import { filesBelow } from "../support/files-below.ts";

function temporariesIn(dir: string): string[] {
  return filesBelow(dir).filter((file) => file.endsWith(".tmp"));
}

function aDisk(size: string): string {
  const disk = aFolder();
  onTestFinished(mountDisk(disk, size));
  return disk;
}

describe.skipIf(!mayMount)("a disk that refuses (needs root, to mount)", () => {
  it("because it is full: reports that, keeps the files, and leaves nothing half written", async () => {
    const dir = join(aDisk("256k"), ".tapedeck");
    const store = createFolderStore(dir);
    const { entry } = await store.save(aReplyOf("small"));
    const before = readFileSync(join(dir, entry), "utf8");
    const huge = aRecording({
      question: "Much?",
      reply: { body: bytes(JSON.stringify({ text: "x ".repeat(200_000) })) },
    });

    await expect(store.save(huge)).rejects.toMatchObject({
      code: "tapedeck_cassette",
      message: `The recording could not be written to ${dir}: the disk is full.`,
      cause: { code: "ENOSPC" },
    });
    await expect(store.replace(entry, { ...huge, key: aReplyOf("").key })).rejects.toThrow(
      "the disk is full",
    );

    expect(await store.list()).toHaveLength(1);
    expect(readFileSync(join(dir, entry), "utf8")).toBe(before);
    expect(temporariesIn(dir)).toEqual([]);
    expect((await store.save(aReplyOf("small again"))).take).toBe(2);
  });

  it("because it is read-only: reports that and still replays", async () => {
    const disk = aDisk("256k");
    const store = createFolderStore(disk);
    const { entry } = await store.save(aReplyOf("kept"));
    makeReadOnly(disk);

    await expect(store.save(aReplyOf("new"))).rejects.toThrow(
      `The cassette folder ${disk} cannot be used: it is on a read-only file system.`,
    );
    await expect(store.remove(entry)).rejects.toThrow("read-only file system");

    expect(textOf((await replyOf(store, entry)).body)).toBe('{"text":"kept"}');
  });
});

describe.skipIf(process.getuid?.() === 0)("a folder without permission (needs to be no root)", () => {
  it("is reported when it is written to and when it is read", async () => {
    const dir = join(aFolder(), "locked");
    mkdirSync(dir, { mode: 0o500 });
    const store = createFolderStore(dir);

    await expect(store.save(aRecording())).rejects.toThrow("permission is denied");
    chmodSync(dir, 0o000);
    await expect(store.list()).rejects.toThrow("permission is denied");
    chmodSync(dir, 0o700);
  });
});
