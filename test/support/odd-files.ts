import { spawnSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const LARGE = 300 * 1_048_576;

/** Objects that a foreign folder can have in place of a file, by name. Each function creates one at a path. */
export const ODD_FILES: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  "a pipe without a writer": (path) => void spawnSync("mkfifo", [path]),
  "a link to a device that never ends": (path) => symlinkSync("/dev/zero", path),
  "a link to a pipe": (path) => {
    spawnSync("mkfifo", [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  "a link to itself": (path) => symlinkSync(path, path),
  "a folder": (path) => mkdirSync(path),
  "a socket": async (path) => {
    // Its first name may have about 100 characters.
    const home = mkdtempSync(join(tmpdir(), "s-"));
    const server = createServer();
    await new Promise<void>((listening) => server.listen(join(home, "s"), listening));
    renameSync(join(home, "s"), path);
    onTestFinished(() => {
      server.close();
      rmSync(home, { recursive: true, force: true });
    });
  },
  "a file of 300 MiB that takes no room": (path) => {
    const file = openSync(path, "w");
    ftruncateSync(file, LARGE);
    closeSync(file);
  },
};

/** Takes what is at a path away and puts something odd there. */
export async function makeOdd(kind: string, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  await ODD_FILES[kind]?.(path);
}
