// Builds what ships into dist/: the extension, the command line, the library with its declarations, the grammars, the hooks,
// and the license texts of bundled packages. `--watch` keeps the bundles current, readable, and linked to source maps (for F5).
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown, watch as watchRolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { commandLine, extension, library, libraryEntries, program } from "./bundles.mjs";
import { writeExtensionFolder } from "./extension-folder.mjs";
import { writeHooks } from "./hooks.mjs";
import { distDir, rootDir } from "./host/paths.mjs";
import { NOTICES, noticesOf } from "./notices.mjs";

const watch = process.argv.includes("--watch");
const programs = [program, commandLine, extension({ watch }), library];

// Files of an earlier build would be packed, too.
rmSync(distDir, { recursive: true, force: true });
mkdirSync(distDir);
copyGrammars();
writeHooks(join(distDir, "hooks"));
if (watch) await keepCurrent();
else await buildOnce();

async function buildOnce() {
  const [sources] = await Promise.all([Promise.all(programs.map(writeProgram)), declareTypes()]);
  writeFileSync(join(rootDir, NOTICES), noticesOf(sources.flat()));
  chmodSync(join(distDir, "cli.js"), 0o755);
  writeExtensionFolder();
}

/** @param {import("./bundles.mjs").Bundle} program @returns {Promise<string[]>} the paths of its sources */
async function writeProgram({ input, outputs }) {
  const bundle = await rolldown(input);
  /** @type {string[]} */
  const sources = [];
  for (const output of outputs) {
    const written = await bundle.write(output);
    for (const file of written.output) if (file.type === "chunk") sources.push(...file.moduleIds);
  }
  await bundle.close();
  return sources;
}

async function keepCurrent() {
  console.log("watch: build started"); // the two lines that the background task of F5 waits for
  const watcher = watchRolldown(
    programs.flatMap(({ input, outputs }) =>
      outputs.map((output) => ({ ...input, output: { ...output, sourcemap: true } })),
    ),
  );
  await new Promise((resolve) => {
    watcher.on("event", (event) => {
      if (event.code === "ERROR") console.error(`✘ [ERROR] ${event.error.message}`);
      if (event.code === "END") writeExtensionFolder();
      if (event.code === "END" || event.code === "ERROR") resolve(undefined);
    });
  });
  console.log("watch: build finished");
}

/** Rolls the declarations up, one file per entry point and one that they share, for each kind of module. */
async function declareTypes() {
  const emitted = join(rootDir, "dist-test", "declarations");
  const compiler = join(rootDir, "node_modules", "typescript", "bin", "tsc");
  const args = [compiler, "-p", "tsconfig.build.json", "--noCheck", "--outDir", emitted];
  const { status } = spawnSync(process.execPath, args, { cwd: rootDir, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.keys(libraryEntries)
        .filter((name) => !name.startsWith("core/"))
        .map((name) => [name, join(emitted, `${name}.d.ts`)]),
    ),
    external: (id) => !/^[./]/.test(id),
    plugins: [dts({ dtsInput: true })],
    checks: { pluginTimings: false },
  });
  for (const dir of [join(distDir, "types"), join(distDir, "esm", "types")])
    await bundle.write({
      dir,
      format: "esm",
      entryFileNames: "[name].ts",
      chunkFileNames: "shared-[hash].d.ts",
      // The types that a fixture needs of its test runner are declared apart, because other projects do not have that runner.
      codeSplitting: {
        groups: [{ name: "shared", test: /^(?!.*[\\/]testing[\\/](?:vitest|jest|node-test)\.)/ }],
      },
    });
  await bundle.close();
  return [];
}

/** The grammars and the runtime are of one package, because they must fit each other. */
function copyGrammars() {
  const source = dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm"));
  const target = join(distDir, "grammars");
  mkdirSync(target);
  for (const name of ["tree-sitter", "tree-sitter-typescript", "tree-sitter-tsx", "tree-sitter-python"]) {
    copyFileSync(join(source, `${name}.wasm`), join(target, `${name}.wasm`));
  }
}
