import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FolderAddress } from "../../src/remote/address/remote-address.ts";
import { faultOf } from "../../src/remote/failures.ts";
import { claimByReservation } from "../../src/remote/folder/shared-files.ts";
import { aKey, namesOf, never, openFor } from "./a-remote.ts";
import { aFolder } from "../support/a-folder.ts";
import { remoteContract } from "../contract/remote-contract.ts";

remoteContract("a shared folder", () => {
  const dir = aFolder();
  return { type: "folder", name: dir, dir };
});

const NAME = `trusted/calls/openai/${aKey("call")}.json`;

describe("a shared folder", () => {
  const at = (dir: string): FolderAddress => ({ type: "folder", name: dir, dir });

  it("is not made: a drive may be missing", async () => {
    const dir = join(aFolder(), "mnt");

    await expect(openFor("write", at(dir))).rejects.toThrow(/cannot be used: it is not there\.$/);
    expect(existsSync(dir)).toBe(false);
  });

  it("that is a file is none", async () => {
    const path = join(aFolder(), "file");
    writeFileSync(path, "");

    await expect(openFor("read", at(path))).rejects.toThrow("it is not a folder.");
  });

  it.skipIf(process.getuid?.() === 0)(
    "that cannot be written to is noticed at the start (not as root)",
    async () => {
      const dir = aFolder();
      chmodSync(dir, 0o555);
      onTestFinished(() => chmodSync(dir, 0o755));

      expect((await openFor("write", at(dir))).access).toEqual({
        mayWrite: false,
        why: "permission to write in it is denied",
      });
    },
  );

  it("reads no link, pipe or folder in an object's place, and nobody waits for one", async () => {
    const dir = aFolder();
    const remote = await openFor("write", at(dir));
    writeFileSync(join(dir, "elsewhere"), "secret");
    symlinkSync(join(dir, "elsewhere"), join(dir, "link.json"));
    mkdirSync(join(dir, "folder.json"));
    const odd = ["link.json", "folder.json", ...(aPipe(join(dir, "pipe.json")) ? ["pipe.json"] : [])];

    for (const name of odd) {
      expect(await remote.get(name, never).catch(faultOf)).toBe("object");
      expect(await remote.add(name, Buffer.from("x"), never)).toBe("taken");
    }
    expect(await namesOf(remote, "")).toEqual(["elsewhere"]);
  });

  it("is not written to through a link", async () => {
    const [dir, other] = [aFolder(), aFolder()];
    symlinkSync(other, join(dir, "trusted"));
    const remote = await openFor("write", at(dir));

    expect(await remote.add(NAME, Buffer.from("x"), never).catch(faultOf)).toBe("object");
    expect(readdirSync(other)).toEqual([]);
  });

  it("leaves out what has no object's name, and what is on its way to one", async () => {
    const dir = aFolder();
    const remote = await openFor("write", at(dir));
    await remote.add(NAME, Buffer.from("x"), never);
    for (const name of ["ä.json", "with space", ".hidden", ".17-0123456789abcdef.tmp", "Thumbs.db"])
      writeFileSync(join(dir, "trusted", name), "");

    expect(await namesOf(remote, "trusted/")).toEqual(["trusted/Thumbs.db", NAME].sort());
  });

  it("goes without what a dead process left on its way, once that is old", async () => {
    const dir = aFolder();
    const remote = await openFor("write", at(dir));
    const [old, young] = [".17-0123456789abcdef.tmp", ".18-0123456789abcdef.tmp"].map((name) =>
      join(dir, name),
    );
    for (const path of [old, young]) writeFileSync(path ?? "", "");
    utimesSync(old ?? "", 0, 0);
    await remote.add("old.json", Buffer.from("x"), never);
    utimesSync(join(dir, "old.json"), 0, 0);

    expect(await namesOf(remote, "")).toEqual(["old.json"]);

    expect(readdirSync(dir).sort()).toEqual([".18-0123456789abcdef.tmp", "old.json"]);
  });

  it("without hard links gives a name once, too, and forgets who died with a hold on it", async () => {
    const dir = aFolder();
    const [one, other] = ["one", "other"].map((name) => join(dir, name));
    writeFileSync(one ?? "", "one");
    writeFileSync(other ?? "", "other");
    const target = join(dir, `${"a".repeat(64)}.json`);
    const hold = join(dir, `.${"a".repeat(64)}.json.reserved`);
    writeFileSync(hold, "");

    expect(await claimByReservation(one ?? "", target)).toBe(false);
    utimesSync(hold, 0, 0);
    expect(await claimByReservation(one ?? "", target)).toBe(true);
    expect(await claimByReservation(other ?? "", target)).toBe(false);

    expect(readFileSync(target, "utf8")).toBe("one");
    expect(readdirSync(dir).sort()).toEqual([`${"a".repeat(64)}.json`, "other"]);
  });

  it("tells whoever tidies it up what was read", async () => {
    const dir = aFolder();
    const remote = await openFor("write", at(dir));
    await remote.add(NAME, Buffer.from("x"), never);
    utimesSync(join(dir, NAME), 0, 0);

    await remote.touch(NAME, never);

    expect(statSync(join(dir, NAME)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  });

  it("that goes meanwhile is said to be gone when something is added", async () => {
    const dir = aFolder();
    const remote = await openFor("write", at(dir));
    rmSync(dir, { recursive: true });

    expect(await remote.get(NAME, never)).toBeUndefined();
    expect(await remote.add(NAME, Buffer.from("x"), never).catch(faultOf)).toBe("down");
    expect(existsSync(dir)).toBe(false);
  });
});

function aPipe(path: string): boolean {
  return spawnSync("mkfifo", [path]).status === 0;
}
