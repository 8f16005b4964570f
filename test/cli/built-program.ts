import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { commandLine } from "../../scripts/bundles.mjs";
import { missingProtection } from "../../scripts/checks/without-protection.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the command line's program. */
    program: string;
  }
}

/** Builds the command line as it ships (bundles, manifest, hooks), once for all tests of a run. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-cli-"));
  await Promise.all(
    commandLine.map(({ outfile = "", plugins = [], ...options }) =>
      build({
        ...options,
        outfile: join(folder, outfile),
        plugins: [...missingProtection(), ...plugins],
        sourcemap: false,
      }),
    ),
  );
  cpSync(join(rootDir, "package.json"), join(folder, "package.json"));
  cpSync(join(rootDir, "src", "hooks"), join(folder, "dist", "hooks"), { recursive: true });
  provide("program", join(folder, "dist", "cli.js"));
  return () => rmSync(folder, { recursive: true, force: true });
}
