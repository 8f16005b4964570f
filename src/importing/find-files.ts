import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { wrongUsage } from "../core/base/errors.ts";
import { FORMATS } from "../core/formats/import/formats.ts";

export interface ImportFile {
  /** Absolute. */
  readonly path: string;
  /** As users would write it. */
  readonly shown: string;
  /** Whether it was named, rather than found in a folder: what is wrong with it is then a failure. */
  readonly isNamed: boolean;
}

/** What recordings are called; what is named by itself may be called anything. */
const NAMES = ["yaml", "yml", "json", "jsonl", "ndjson", "har"];
const NAMED_SO = new RegExp(`\\.(?:${NAMES.join("|")})(?:\\.gz)?$|\\.har\\.zip$`, "i");
/** For a dialogue, which knows the last part of a name alone. */
export const ENDINGS = [...NAMES, "gz", "zip"];
const LEFT_OUT = new Set(["node_modules", "package.json", "package-lock.json", "tsconfig.json"]);

/**
 * The files named, and those below the folders named, by path. Hidden folders, packages, links and the cassette
 * folder itself are left out.
 * @throws TapedeckError `tapedeck_usage` where something named is not there.
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
      throw wrongUsage(
        `There is no file or folder "${shown}".`,
        `A format may stand before the files: ${FORMATS.join(", ")}. See: tapedeck import --help`,
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
    else if (entry.isFile() && NAMED_SO.test(entry.name)) found.push({ path, shown: own, isNamed: false });
  }
  return found;
}

async function kindOf(path: string): Promise<"file" | "folder" | "absent"> {
  return stat(path).then(
    (stats) => (stats.isDirectory() ? "folder" : "file"),
    () => "absent",
  );
}
