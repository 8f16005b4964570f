import { existsSync } from "node:fs";
import { join } from "node:path";
import { localFolder, localPath, mayReadLocal } from "../local/local-state.ts";

/** The scope of what everybody in a team may read. */
export const TRUSTED = "trusted";

/**
 * Where what came from the team's cache lies: a cassette folder among what belongs to this machine, one by scope, so that
 * what an untrusted run was given is never read by a trusted one. Absolute.
 */
export const teamLayerOf = (dir: string, scope: string): string => join(dir, localPath(folderOfScope(scope)));

/** Whether anything was ever brought here. */
export function hasTeamLayer(dir: string, scope: string): boolean {
  return mayReadLocal(dir) && existsSync(teamLayerOf(dir, scope));
}

/** Makes the folder, which git ignores. Resolves to its absolute path. @throws the system's error. */
export async function makeTeamLayer(dir: string, scope: string): Promise<string> {
  return localFolder(dir, folderOfScope(scope));
}

const folderOfScope = (scope: string): string => (scope === TRUSTED ? "team" : `team-${scope}`);
