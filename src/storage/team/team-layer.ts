import { existsSync } from "node:fs";
import { join } from "node:path";
import { openLocalFolder, getLocalPath, mayReadLocal } from "../local/local-state.ts";

const LAYER = "team";

/** The cassette folder for recordings of the team, which git ignores. Absolute. */
export const getTeamLayer = (dir: string): string => join(dir, getLocalPath(LAYER));

/** Whether a recording was ever downloaded. */
export function hasTeamLayer(dir: string): boolean {
  return mayReadLocal(dir) && existsSync(getTeamLayer(dir));
}

/** Creates the folder. Resolves to its absolute path. @throws the system's error */
export const makeTeamLayer = (dir: string): Promise<string> => openLocalFolder(dir, LAYER);
