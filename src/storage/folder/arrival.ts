import { lstatSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns when the file of a recording was last created, pulled, checked out, or edited on this machine, in milliseconds
 * since the epoch; 0 if there is none. Reads the change time, which programs cannot set.
 */
export function readArrivalTime(dir: string, entry: string): number {
  return lstatSync(join(dir, entry), { throwIfNoEntry: false })?.ctimeMs ?? 0;
}
