// Builds all that ships into dist/: the extension, the command line, the library with its declarations, the grammars,
// the hooks, and the licence texts of what is bundled. `--watch` keeps the bundles current, readable and linked to their source maps (for F5).
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, relative } from "node:path";
import { build, buildSync, context, transformSync } from "esbuild";
import { rolldown, watch as watchRolldown } from "rolldown";
import { requireForModules, sourcesIn } from "./bundling.mjs";
import { bundles, editorBundle, library } from "./bundles.mjs";
import { distDir, rootDir } from "./host/paths.mjs";
import { NOTICES, noticesOf } from "./notices.mjs";

const watch = process.argv.includes("--watch");

/** Files of the hooks for Node that something loads by name, each with all that it needs. */
const HOOKS = ["install", "folders", "no-proxy", "probe", "sealed-relay", "tell-began"];

// What an earlier build made under names that are no more would be packed.
rmSync(distDir, { recursive: true, force: true });
mkdirSync(distDir);
copyGrammars();
copyHooks();
if (watch) await keepCurrent();
else await buildOnce();

async function buildOnce() {
  const [editor, ...built] = await Promise.all([
    buildEditor(),
    ...bundles.map((options) => build({ ...options, metafile: true })),
  ]);
  const outputs = built.map(({ metafile }) => metafile.outputs);
  writeFileSync(
    join(rootDir, NOTICES),
    noticesOf([...editor, ...outputs.flatMap(Object.values).flatMap(sourcesIn)]),
  );
  chmodSync(join(distDir, "cli.js"), 0o755);
  const scripts = outputs.flatMap(scriptsIn);
  for (const file of scripts) withoutIdleRequire(join(rootDir, file));
  declare();
  forCommonJs(scriptsIn(outputs[bundles.indexOf(library)]));
}

/** @returns the paths of what stands in it */
async function buildEditor() {
  const { input, output } = editorBundle({ watch });
  const bundle = await rolldown(input);
  const { output: chunks } = await bundle.write(output);
  await bundle.close();
  return chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/** @param {import("esbuild").Metafile["outputs"] | undefined} outputs */
function scriptsIn(outputs = {}) {
  return Object.keys(outputs).filter(
    (file) => file.endsWith(".js") && !/^dist\/(?:browser|pages)\//.test(file),
  );
}

/** Only what bundles a CommonJS library needs `require`, and with it a module of Node. @param {string} path */
function withoutIdleRequire(path) {
  const text = readFileSync(path, "utf8");
  const body = text.replace(requireForModules, "");
  if (!/\brequire\b/.test(body)) writeFileSync(path, body.trimStart());
}

/**
 * The same modules for `require()`, file by file, so that what is shared stays shared. Their declarations are copies:
 * what these are is said by the package.json beside them.
 * @param {readonly string[]} files
 */
function forCommonJs(files) {
  const target = join(distDir, "cjs");
  for (const file of files) {
    const path = join(target, relative(distDir, join(rootDir, file)));
    const source = readFileSync(join(rootDir, file), "utf8").replace(requireForModules, "");
    const address = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';
    const { code } = transformSync(source, {
      format: "cjs",
      platform: "node",
      target: "node20",
      // jest's sandbox has no `import()`, and what is required is the same that whoever requires us has.
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "importMetaUrl" },
      ...(source.includes("import.meta.url") && { banner: address }),
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  cpSync(join(distDir, "types"), join(target, "types"), { recursive: true });
  writeFileSync(join(target, "package.json"), '{ "type": "commonjs" }\n');
}

async function keepCurrent() {
  console.log("watch: build started"); // the two lines that the background task of F5 waits for
  const contexts = await Promise.all(bundles.map((options) => context({ ...options, sourcemap: "linked" })));
  await Promise.all(contexts.map((one) => one.rebuild()));
  await Promise.all(contexts.map((one) => one.watch()));
  const { input, output } = editorBundle({ watch });
  const editor = watchRolldown({ ...input, output });
  await new Promise((resolve) => {
    editor.on("event", (event) => {
      if (event.code === "ERROR") console.error(`✘ [ERROR] ${event.error.message}`);
      if (event.code === "END" || event.code === "ERROR") resolve(undefined);
    });
  });
  console.log("watch: build finished");
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

function copyHooks() {
  const source = join(rootDir, "src", "hooks");
  const target = join(distDir, "hooks");
  cpSync(join(source, "python"), join(target, "python"), {
    recursive: true,
    filter: (path) => extname(path) === "" || extname(path) === ".py",
  });
  const [scripts, shipped] = [join(source, "javascript"), join(target, "javascript")];
  buildSync({
    entryPoints: HOOKS.map((name) => join(scripts, `${name}.cjs`)),
    outdir: shipped,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node18",
    minifyWhitespace: true,
  });
  // It is read by any Node, and loads the others beside it.
  copyFileSync(join(scripts, "tapedeck-preload.cjs"), join(shipped, "tapedeck-preload.cjs"));
}

function declare() {
  const entry = join(rootDir, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [entry, "-p", "tsconfig.build.json"], {
    cwd: rootDir,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
