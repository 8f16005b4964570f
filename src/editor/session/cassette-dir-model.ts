import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import { explain } from "../../core/base/errors.ts";
import { expectNoLinkOut } from "../../storage/inside.ts";

/** Replaces a cassette folder whose link is not followed. It does not exist, and nothing is written to it. */
const NOT_FOLLOWED = ".tapedeck-link-not-followed";

const WAY_OUT = localize("To use the folder, enter the target of the link in the setting tapedeck.folder.");

export interface CassetteDir {
  /** Absolute. For a link that leads out of the repository, a different path that does not exist. */
  readonly dir: string;
  /** The reason why the folder is not used. */
  readonly fault?: string;
}

/** Refuses links that lead out of the repository, because a cloned repository must not choose the folder. */
export function resolveCassetteDir(folder: string, name: string): CassetteDir {
  const dir = path.resolve(folder, name);
  try {
    expectNoLinkOut(dir, folder, WAY_OUT);
    return { dir };
  } catch (error) {
    return { dir: path.join(folder, NOT_FOLLOWED), fault: explain(error) };
  }
}
