import * as path from "node:path";
import { explain } from "../../core/base/errors.ts";
import { expectNoLinkOut } from "../../storage/inside.ts";

/** Stands for a cassette folder that is not followed: nothing is there, and nothing is written. */
const NOT_FOLLOWED = ".tapedeck-link-not-followed";

const WAY_OUT = "If that is meant, name the folder that it leads to in the setting tapedeck.folder.";

export interface CassetteDir {
  /** Absolute. Of a link that leads out of the repository another path, where nothing is. */
  readonly dir: string;
  /** Why the folder is not used, as sentences for a person. */
  readonly fault?: string;
}

/** A repository may bring a link with it: where recordings are read and written is not for a stranger to say. */
export function cassetteDirIn(folder: string, name: string): CassetteDir {
  const dir = path.resolve(folder, name);
  try {
    expectNoLinkOut(dir, folder, WAY_OUT);
    return { dir };
  } catch (error) {
    return { dir: path.join(folder, NOT_FOLLOWED), fault: explain(error) };
  }
}
