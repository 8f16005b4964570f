import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A folder of memory, on Linux. */
const MEMORY = "/dev/shm";
/** Bytes: ten times what tests use at once. A container may have less. */
const ROOM = 1024 ** 3;
const PREFIX = "tapedeck-tests-";

/**
 * Puts temporary folders into memory if it has room and allows programs to run: creating and deleting thousands of small
 * files takes a disk longer than the tests themselves. The long tests stay on the disk.
 */
export function useMemory() {
  const { TMPDIR, TEST_LONG } = process.env;
  if (TMPDIR !== undefined || TEST_LONG !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  const available = process.availableMemory?.() ?? freemem(); // the first from Node 20.13 on
  if (bavail * bsize < ROOM || available < 2 * ROOM) return;
  removeAbandoned();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  if (spawnSync(program).status === 0) process.env["TMPDIR"] = folder;
  rmSync(program);
}

/** Deletes folders of killed processes, which use memory. */
function removeAbandoned() {
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (!(pid > 0) || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}
