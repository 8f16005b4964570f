import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { commandLine, program as firstFile } from "../../scripts/bundles.mjs";
import { missingInModules } from "../../scripts/checks/without-protection.mjs";
import { writeHooks } from "../../scripts/hooks.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";
import { describeChunk, type BuiltEntry } from "../support/built-chunk.ts";

const builds = join(rootDir, "dist-test", "cli");

/** Beside `dist`: the files of the program, as `describeChunk` describes them. */
const FILES = "files.json";

/** Age in milliseconds after which a build of other sources is deleted. */
const OLD_MS = 3_600_000;

/**
 * Path of the command line's program, built as it ships (bundles, manifest, hooks). Importing this file waits for the
 * build, which runs once for the same sources.
 */
export const program = await builtProgram();

/** Returns the files of the program. */
export const programFiles = (): readonly BuiltEntry[] =>
  JSON.parse(readFileSync(join(dirname(program), "..", FILES), "utf8")) as readonly BuiltEntry[];

async function builtProgram(): Promise<string> {
  const folder = join(builds, digestOfSources());
  if (!existsSync(folder)) await buildInto(folder);
  return join(folder, "dist", "cli.js");
}

/** Several workers may do so at once: the first one that is done gives the folder its name. */
async function buildInto(folder: string): Promise<void> {
  mkdirSync(builds, { recursive: true });
  discardOld();
  const beside = mkdtempSync(join(builds, "building-"));
  const files: BuiltEntry[] = [];
  for (const { input, outputs } of [firstFile, commandLine]) {
    const bundle = await rolldown({ ...input, plugins: [input.plugins, missingInModules()] });
    for (const output of outputs) {
      const written = { ...output, dir: join(beside, output.dir), sourcemap: false };
      const { output: chunks } = await bundle.write(written);
      for (const chunk of chunks) if (chunk.type === "chunk") files.push(describeChunk(chunk, output.dir));
    }
    await bundle.close();
  }
  writeFileSync(join(beside, FILES), JSON.stringify(files));
  cpSync(join(rootDir, "package.json"), join(beside, "package.json"));
  cpSync(join(rootDir, "l10n"), join(beside, "l10n"), { recursive: true });
  writeHooks(join(beside, "dist", "hooks"));
  try {
    renameSync(beside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(beside, { recursive: true, force: true });
  }
}

function digestOfSources(): string {
  const sources = ["src", "scripts", "l10n"].flatMap((folder) =>
    readdirSync(join(rootDir, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  );
  const hash = createHash("sha256").update(process.env["TAPEDECK_WITHOUT"] ?? "");
  for (const file of [...sources, join(rootDir, "package.json"), join(rootDir, "package-lock.json")])
    hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

function discardOld(): void {
  for (const name of readdirSync(builds)) {
    const path = join(builds, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true });
  }
}
