import { readFileSync } from "node:fs";

/** Whether a process is there and has not ended. On Linux, an ended one is a zombie until its parent reads its exit code. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === "linux") return !/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
