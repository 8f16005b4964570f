import { localize } from "../core/base/localize.ts";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createWrongUsage } from "../core/base/errors.ts";
import { FORMATS } from "../core/formats/import/formats.ts";

export interface ImportFile {
  /** Absolute. */
  readonly path: string;
  /** Path for messages. */
  readonly shown: string;
  /** Whether the user named the file. If it was found in a folder, it can be unreadable without a failure. */
  readonly isNamed: boolean;
}

/** Extensions of files to look for in folders. A file that the user names can have any name. */
const NAMES = ["yaml", "yml", "json", "jsonl", "ndjson", "har", "chlsj", "httprr"];
const FILE_NAME = new RegExp(`\\.(?:${NAMES.join("|")})(?:\\.gz)?$|\\.har\\.zip$`, "i");
/** Extensions for an open dialog, which filters by the last part of a name. */
export const ENDINGS = [...NAMES, "gz", "zip"];
const LEFT_OUT = new Set(["node_modules", "package.json", "package-lock.json", "tsconfig.json"]);

/**
 * Lists the named files, and the files below named folders. Skips hidden folders, packages, links, and the cassette
 * folder.
 * @throws TapedeckError `tapedeck_usage` if a named file or folder does not exist
 */
export async function findFiles(
  named: readonly string[],
  { cwd, dir }: { readonly cwd: string; readonly dir: string },
): Promise<readonly ImportFile[]> {
  const found: ImportFile[] = [];
  for (const shown of named) {
    const path = resolve(cwd, shown);
    const kind = await kindOf(path);
    if (kind === "absent")
      throw createWrongUsage(
        localize('There is no file or folder "{0}".', shown),
        localize(
          "You can put a format before the files: {0}. See: tapedeck import --help",
          FORMATS.join(", "),
        ),
      );
    if (kind === "file") found.push({ path, shown, isNamed: true });
    else found.push(...(await below(path, shown, dir)));
  }
  return [...new Map(found.map((file) => [file.path, file])).values()];
}

async function below(folder: string, shown: string, dir: string): Promise<readonly ImportFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: ImportFile[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || LEFT_OUT.has(entry.name) || path === dir) continue;
    const own = join(shown, entry.name);
    if (entry.isDirectory()) found.push(...(await below(path, own, dir)));
    else if (entry.isFile() && FILE_NAME.test(entry.name)) found.push({ path, shown: own, isNamed: false });
  }
  return found;
}

async function kindOf(path: string): Promise<"file" | "folder" | "absent"> {
  return stat(path).then(
    (stats) => (stats.isDirectory() ? "folder" : "file"),
    () => "absent",
  );
}
