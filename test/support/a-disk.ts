import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

export function worksWith([command = "", ...words]: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

/** Whether tests may mount their own disks over folders. */
export const mayMount: boolean =
  process.platform === "linux" && worksWith(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]);

/** Lays an empty disk over a folder, `size` as mount takes it, e.g. "200k". Gives what takes it away. */
export function mountDisk(folder: string, size: string): () => void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  return () => void execFileSync("umount", ["-l", folder]);
}

/** Writes a file until there is no room left on its disk. */
export function fillDisk(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: "a" });
  } catch {
    // It is full.
  }
}

/** Makes a disk that is mounted over a folder read-only. */
export function makeReadOnly(folder: string): void {
  execFileSync("mount", ["-o", "remount,ro", folder]);
}
