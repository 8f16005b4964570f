// Builds all that ships into dist/: the extension, the command line, the library with its declarations, the grammars,
// the hooks, and the licence texts of what is bundled. `--watch` keeps the bundles current, readable and linked to their source maps (for F5).
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, relative } from "node:path";
import { build, buildSync, context, transformSync } from "esbuild";
import { requireForModules } from "./bundling.mjs";
import { bundlesOf } from "./bundles.mjs";
import { distDir, rootDir } from "./host/paths.mjs";
import { NOTICES, noticesOf } from "./notices.mjs";

const watch = process.argv.includes("--watch");

/** Files of the hooks for Node that something loads by name, each with all that it needs. */
const HOOKS = ["install", "folders", "no-proxy", "probe", "sealed-relay", "tell-began"];

const present = bundlesOf({ watch }).filter(({ entryPoints }) => {
  const [entry = ""] = /** @type {string[]} */ (entryPoints);
  if (existsSync(join(rootDir, entry))) return true;
  console.log(`skipped: ${entry} is not there`);
  return false;
});

mkdirSync(distDir, { recursive: true });
copyGrammars();
copyHooks();
if (watch) await keepCurrent();
else await buildOnce();

async function buildOnce() {
  for (const folder of ["shared", "browser"]) rmSync(join(distDir, folder), { recursive: true, force: true });
  const built = await Promise.all(present.map((options) => build({ ...options, metafile: true })));
  writeFileSync(join(rootDir, NOTICES), noticesOf(built.map(({ metafile }) => metafile)));
  const cli = join(distDir, "cli.js");
  if (existsSync(cli)) chmodSync(cli, 0o755);
  const library = built.flatMap(({ metafile }) => Object.keys(metafile.outputs)).filter(isLibrary);
  for (const file of library) withoutIdleRequire(join(rootDir, file));
  if (existsSync(join(rootDir, "src", "index.ts"))) declare();
  forCommonJs(library);
}

/** The modules that `import` and `require` name, and what these share. @param {string} file */
function isLibrary(file) {
  return file.endsWith(".js") && file !== "dist/cli.js" && !/^dist\/(?:browser|pages)\//.test(file);
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
  rmSync(target, { recursive: true, force: true });
  for (const file of files) {
    const path = join(target, relative(distDir, join(rootDir, file)));
    const source = readFileSync(join(rootDir, file), "utf8").replace(requireForModules, "");
    const address = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';
    const { code } = transformSync(source, {
      format: "cjs",
      platform: "node",
      target: "node20",
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
  const contexts = await Promise.all(present.map((options) => context(options)));
  await Promise.all(contexts.map((one) => one.rebuild()));
  await Promise.all(contexts.map((one) => one.watch()));
  console.log("watch: build finished");
}

/** The grammars and the runtime are of one package, because they must fit each other. */
function copyGrammars() {
  const source = dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm"));
  const target = join(distDir, "grammars");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of ["tree-sitter", "tree-sitter-typescript", "tree-sitter-tsx", "tree-sitter-python"]) {
    copyFileSync(join(source, `${name}.wasm`), join(target, `${name}.wasm`));
  }
}

function copyHooks() {
  const source = join(rootDir, "src", "hooks");
  const target = join(distDir, "hooks");
  rmSync(target, { recursive: true, force: true });
  if (!existsSync(source)) return;
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
  rmSync(join(distDir, "types"), { recursive: true, force: true });
  const entry = join(rootDir, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [entry, "-p", "tsconfig.build.json"], {
    cwd: rootDir,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
  copyFileSync(
    join(rootDir, "src", "testing", "jest.d.cts"),
    join(distDir, "types", "testing", "jest.d.cts"),
  );
}
