import { lstatSync } from "node:fs";
import { join } from "node:path";

/**
 * When the file of a recording came to this machine as it is, in milliseconds since the epoch: made, pulled, checked
 * out or edited. 0 where there is none. Its change time tells, which nobody can set.
 */
export function arrivedAt(dir: string, entry: string): number {
  return lstatSync(join(dir, entry), { throwIfNoEntry: false })?.ctimeMs ?? 0;
}
