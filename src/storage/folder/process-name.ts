import { createHash, randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";

/** Four hex digits for the place where a process id names a process: a machine, and on Linux a container. */
const PLACE = createHash("sha256").update(`${hostname()}\n${processNamespace()}`).digest("hex").slice(0, 4);

/** Distinguishes the files of this thread from those of other threads in the same process. */
const THREAD = randomBytes(3).toString("hex");

/** The part of a file name that identifies the process that created it, e.g. "4711-3fa2b0c1d2". */
export const OWN_PROCESS_NAME = `${process.pid}-${PLACE}${THREAD}`;

/** Whether the process that a file name begins with has ended. False for processes of other machines and containers. */
export function hasEnded(processName: string): boolean {
  const [, pid, place] = /^([0-9]+)-([0-9a-f]{4})/.exec(processName) ?? [];
  if (pid === undefined || place !== PLACE) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return ""; // not Linux
  }
}
