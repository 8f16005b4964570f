import { join } from "node:path";
import { fieldsOf, isFields, jsonIn, type Fields } from "../../core/protocol/base/lenient.ts";
import { type ProjectFiles, firstIn, foldersAbove } from "./test-runner-model.ts";

/** What of a package.json tells how its tests run. Anything of another type counts as absent. */
export interface ProjectPackage {
  readonly version?: string;
  /** Paths of the programs it brings, by name; one without a name is under "". */
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  /** Names of all kinds of dependencies. */
  readonly dependencies: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

/** Reads the package.json of a folder; undefined where there is none or it is no JSON object. */
export async function readPackage(files: ProjectFiles, folder: string): Promise<ProjectPackage | undefined> {
  const text = await files.readFile(join(folder, "package.json"));
  if (text === undefined) return undefined;
  const parsed = jsonIn(text);
  return isFields(parsed) ? packageFrom(parsed) : undefined;
}

export function packageFrom(parsed: Fields): ProjectPackage {
  const { version, bin } = parsed;
  const kinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  return {
    ...(typeof version === "string" && { version }),
    bin: typeof bin === "string" ? { "": bin } : texts(bin),
    scripts: texts(parsed["scripts"]),
    dependencies: new Set(kinds.flatMap((kind) => Object.keys(texts(parsed[kind])))),
    members: new Set(Object.keys(parsed)),
  };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

const BY_LOCK: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm add --save-dev",
  "yarn.lock": "yarn add --dev",
  "bun.lock": "bun add --dev",
  "bun.lockb": "bun add --dev",
  "package-lock.json": "npm install --save-dev",
};

/** The command that adds a package for development, of the package manager whose lock file is nearest; npm without one. */
export async function commandToAdd(files: ProjectFiles, file: string, name: string): Promise<string> {
  for (const folder of foldersAbove(file)) {
    const lock = await firstIn(files, folder, Object.keys(BY_LOCK));
    if (lock !== undefined) return `${BY_LOCK[lock]} ${name}`;
  }
  return `npm install --save-dev ${name}`;
}
