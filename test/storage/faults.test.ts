import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createFolderStore } from "../../src/storage/folder-store.ts";
import { aFolder } from "../support/a-folder.ts";
import { aRecording, aReplyOf, bytes, sha256, textOf } from "../support/a-recording.ts";
import { buildRecorder, runRecorder, type Acknowledged } from "../support/a-recorder.ts";
import { seeded } from "../support/seeded.ts";

const KILLS = Number(process.env["TAPEDECK_KILLS"] ?? 40);

let scripts = "";
let recorder = "";

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), "tapedeck-test-"));
  recorder = await buildRecorder(scripts);
});

afterAll(() => rmSync(scripts, { recursive: true, force: true }));

/** Everything acknowledged that is not there, or not as it was acknowledged; and everything there that is not whole. */
async function damage(
  dir: string,
  acknowledged: readonly Acknowledged[],
): Promise<{ lost: string[]; torn: string[] }> {
  const store = createFolderStore(dir);
  const found = new Map<string, string>();
  const torn: string[] = [];
  for (const { entry } of await store.list()) {
    await store.read(entry).then(
      ({ reply }) => found.set(entry, sha256(reply.body)),
      (error: unknown) => torn.push(String(error)),
    );
  }
  const lost = acknowledged.filter((one) => found.get(one.entry) !== one.sha256).map(({ entry }) => entry);
  return { lost, torn };
}

function temporariesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tmp"));
}

describe("a process that is killed while it records", () => {
  it("loses nothing that it acknowledged and leaves nothing torn", { timeout: 600_000 }, async () => {
    const dir = aFolder();
    const random = seeded(20_260_102);
    const acknowledged: Acknowledged[] = [];
    let kills = 0;

    for (let cycle = 0; cycle < KILLS; cycle += 1) {
      const [after, delayMs] = [1 + Math.floor(random() * 12), random() * 12];
      const killed = await runRecorder(
        recorder,
        { dir, name: `run ${cycle}`, count: 1_000 },
        (soFar, kill) => {
          if (soFar === after) setTimeout(kill, delayMs);
        },
      );
      kills += killed.length < 1_000 ? 1 : 0;
      acknowledged.push(...killed);
    }

    const { lost, torn } = await damage(dir, acknowledged);
    const cut = temporariesIn(dir).length;
    console.log(
      `▸ kill -9 while recording: ${kills} kills, ${acknowledged.length} acknowledged, ${lost.length} lost, ${torn.length} torn, ${cut} cut off before they had a name`,
    );
    expect({ lost, torn, kills }).toEqual({ lost: [], torn: [], kills: KILLS });
    expect(new Set(acknowledged.map(({ entry }) => entry)).size).toBe(acknowledged.length);
  });
});

describe("several processes that record at once", () => {
  it("lose nothing, for the same calls and for different ones", { timeout: 120_000 }, async () => {
    const dir = join(aFolder(), ".tapedeck");
    const names = ["a", "b", "c", "d"];

    const runs = await Promise.all(names.map((name) => runRecorder(recorder, { dir, name, count: 60 })));

    const acknowledged = runs.flat();
    const { lost, torn } = await damage(dir, acknowledged);
    expect({ lost, torn, acknowledged: acknowledged.length }).toEqual({
      lost: [],
      torn: [],
      acknowledged: 240,
    });
    expect(new Set(acknowledged.map(({ entry }) => entry)).size).toBe(240);
    expect(temporariesIn(dir)).toEqual([]);
  });
});

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
