import { firstIn, foldersAbove, type ProjectFiles } from "./test-runner-model.ts";

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
