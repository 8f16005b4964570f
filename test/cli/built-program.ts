import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { asProgram } from "../../scripts/bundling.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the command line's program. */
    program: string;
  }
}

/** Builds the command line as it ships (bundle, manifest, hooks), once for all tests of a run. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-cli-"));
  const program = join(folder, "dist", "cli.js");
  await build({ ...asProgram, entryPoints: ["src/cli/main.ts"], outfile: program });
  cpSync(join(rootDir, "package.json"), join(folder, "package.json"));
  cpSync(join(rootDir, "src", "hooks"), join(folder, "dist", "hooks"), { recursive: true });
  provide("program", program);
  return () => rmSync(folder, { recursive: true, force: true });
}
