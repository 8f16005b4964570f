import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolderStore } from "../../src/storage/folder-store.ts";
import { aFolder } from "../support/a-folder.ts";
import { aRecording, aReplyOf, bytes, textOf } from "../support/a-recording.ts";

function temporariesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tmp"));
}

/** A file system of its own of this size in a new folder; undefined where this user may not mount. */
function mounted(size: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

function unmount(folder: string): void {
  execFileSync("umount", [folder], { stdio: "ignore" });
  rmSync(folder, { recursive: true });
}

const probe = process.platform === "linux" ? mounted("64k") : undefined;
if (probe !== undefined) unmount(probe);
const mayMount = probe !== undefined;

function aDisk(size: string): string {
  const disk = mounted(size);
  if (disk === undefined) throw new Error("mounting worked a moment ago");
  onTestFinished(() => unmount(disk));
  return disk;
}

describe.skipIf(!mayMount)("a disk that refuses (needs the right to mount)", () => {
  it("because it is full: says so, keeps what there was and leaves nothing half written", async () => {
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

  it("because it is read-only: says so and still replays", async () => {
    const disk = aDisk("256k");
    const store = createFolderStore(disk);
    const { entry } = await store.save(aReplyOf("kept"));
    execFileSync("mount", ["-o", "remount,ro", disk], { stdio: "ignore" });

    await expect(store.save(aReplyOf("new"))).rejects.toThrow(
      `The cassette folder ${disk} cannot be used: it is on a read-only file system.`,
    );
    await expect(store.remove(entry)).rejects.toThrow("read-only file system");

    expect(textOf((await store.reply(entry)).body)).toBe('{"text":"kept"}');
  });
});

describe.skipIf(process.getuid?.() === 0)("a folder without permission (root has them all)", () => {
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
