/** A folder of a window with several, and what points its processes to its own server; nothing where it is off. */
export interface FolderVariables {
  readonly root: string;
  readonly set: Readonly<Record<string, string>>;
}

/**
 * For processes that start with one folder's variables, wherever they run: with this as TAPEDECK_FOLDERS, the hooks put
 * the variables of the folder that a process is started in, in their place. `folders` begins with the folder whose
 * variables stand; `before` is what the variables were without any. Undefined where it would be too long for a variable.
 */
export function folderTable(
  folders: readonly FolderVariables[],
  before: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names = new Set(folders.flatMap(({ set }) => Object.keys(set)));
  const own = Object.fromEntries([...names].map((name) => [name, before[name]]));
  const table = JSON.stringify({ before: own, folders });
  return table.length <= LONGEST ? table : undefined;
}

/** Windows takes 32,767 characters. */
const LONGEST = 24_000;
