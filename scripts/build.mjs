// Builds all that ships into dist/: the extension, the command line, the library with its declarations, the grammars
// and the hooks. `--watch` keeps the bundles current, readable and linked to their source maps (for F5).
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { build, context } from "esbuild";
import { forNode, requireForModules } from "./bundling.mjs";
import { distDir, rootDir } from "./host/paths.mjs";

const watch = process.argv.includes("--watch");

/** The runners that tests can take a tape from. */
const RUNNERS = ["vitest", "jest", "node-test"];

/** Packages that a user of the library has, if any. */
const { peerDependencies = {} } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
const peers = Object.keys(peerDependencies).flatMap((name) => [name, `${name}/*`]);

/** @type {import("esbuild").BuildOptions} */
const shared = {
  ...forNode,
  sourcemap: watch ? "linked" : "external",
  legalComments: "none",
};

/**
 * The parser's runtime is a bundle of its own beside its grammars: most windows never need either.
 * @type {import("esbuild").Plugin}
 */
const parserApart = {
  name: "parser-apart",
  setup(bundle) {
    bundle.onResolve({ filter: /^@vscode\/tree-sitter-wasm$/ }, () => ({
      path: "./grammars/tree-sitter.cjs",
      external: true,
    }));
  },
};

/** Few need a proxy's agent, and in VS Code the editor's own modules know its proxies already. @type {import("esbuild").Plugin} */
const proxyApart = {
  name: "proxy-apart",
  setup(bundle) {
    bundle.onResolve({ filter: /^https-proxy-agent$/ }, () => ({
      path: "./proxy-agent.cjs",
      external: true,
    }));
  },
};

/**
 * Engine, store and server are a bundle of their own beside the extension's, loaded when a session first asks for its
 * deck: a window that does not use Tapedeck never does.
 * @type {import("esbuild").Plugin}
 */
const deckApart = {
  name: "deck-apart",
  setup(bundle) {
    bundle.onResolve({ filter: /\/deck\.ts$/ }, () => ({ path: "deck", namespace: "apart" }));
    bundle.onResolve({ filter: /^\.\/deck\.cjs$/ }, ({ path }) => ({ path, external: true }));
    bundle.onLoad({ filter: /^deck$/, namespace: "apart" }, () => ({
      contents: 'export const openDeck = (options) => require("./deck.cjs").openDeck(options);',
    }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const forEditor = {
  ...shared,
  format: "cjs",
  external: ["vscode"],
  minify: !watch,
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "importMetaUrl" },
};

/**
 * A part of the sources that is a bundle of its own, beside those that load it by `import()`: `options` make the bundle,
 * `plugin` leads others to it.
 * @param {string} source
 * @param {string} name of the bundle
 * @returns {{ options: import("esbuild").BuildOptions, plugin: import("esbuild").Plugin }}
 */
function apart(source, name) {
  const path = join(rootDir, source);
  const filter = new RegExp(`/${basename(source).replaceAll(".", "[.]")}$`);
  return {
    options: {
      ...shared,
      entryPoints: [source],
      outfile: `dist/${name}`,
      format: "cjs",
      minify: !watch,
    },
    plugin: {
      name: `${name} apart`,
      setup(bundle) {
        bundle.onResolve({ filter }, ({ kind, resolveDir, path: asked }) =>
          kind === "dynamic-import" && resolve(resolveDir, asked) === path
            ? { path: `./${name}`, external: true }
            : undefined,
        );
      },
    },
  };
}

/** What reads MetaGPT's caches is loaded where a workspace has one. */
const caches = apart("src/editor/metagpt/cache-files-model.ts", "metagpt-caches.cjs");

/** Only an import of cassettes needs YAML's reader. */
const yaml = apart("src/cli/import/read-yaml.ts", "read-yaml.cjs");

/** Few windows ever look through a whole folder. */
const check = apart("src/editor/folder-check.ts", "folder-check.cjs");

/** The rules that find secrets are loaded where something is recorded, redacted or checked. */
const secretRules = apart("src/core/secrets/rules.ts", "secret-rules.cjs");

/** @type {import("esbuild").BuildOptions[]} */
const bundles = [
  {
    ...forEditor,
    entryPoints: ["src/editor/extension.ts"],
    outfile: "dist/extension.cjs",
    plugins: [parserApart, deckApart, caches.plugin, check.plugin, secretRules.plugin],
  },
  {
    ...forEditor,
    entryPoints: ["src/deck.ts"],
    outfile: "dist/deck.cjs",
    plugins: [proxyApart, secretRules.plugin],
  },
  { ...check.options, ...forEditor, plugins: [secretRules.plugin] },
  caches.options,
  secretRules.options,
  {
    ...shared,
    entryPoints: ["node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter.js"],
    outfile: "dist/grammars/tree-sitter.cjs",
    format: "cjs",
    minify: true,
    sourcemap: false,
  },
  {
    ...shared,
    entryPoints: ["node_modules/https-proxy-agent/dist/index.js"],
    outfile: "dist/proxy-agent.cjs",
    format: "cjs",
    minify: true,
    sourcemap: false,
  },
  {
    ...shared,
    entryPoints: ["src/cli/main.ts"],
    outfile: "dist/cli.js",
    format: "esm",
    banner: { js: `#!/usr/bin/env node\n${requireForModules}` },
    plugins: [yaml.plugin, secretRules.plugin],
  },
  yaml.options,
  {
    ...shared,
    entryPoints: ["src/index.ts", ...clientEntries(), ...RUNNERS.map((name) => `src/testing/${name}.ts`)],
    outdir: "dist",
    outbase: "src",
    format: "esm",
    // What several entry points share is one file, so that each loads it once and none pulls in another one's SDK.
    splitting: true,
    chunkNames: "shared/[name]-[hash]",
    external: peers,
    banner: { js: requireForModules },
  },
  {
    // jest loads CommonJS unless it is told otherwise.
    ...shared,
    entryPoints: ["src/testing/jest.ts"],
    outfile: "dist/testing/jest.cjs",
    format: "cjs",
    external: peers,
  },
];

const present = bundles.filter(({ entryPoints }) => {
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

/** The mock client core and each folder of it that has a public face. */
function clientEntries() {
  return readdirSync(join(rootDir, "src", "client"), { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "index.ts")
    .map((path) => join("src", "client", path));
}

async function buildOnce() {
  rmSync(join(distDir, "shared"), { recursive: true, force: true });
  await Promise.all(present.map((options) => build(options)));
  const cli = join(distDir, "cli.js");
  if (existsSync(cli)) chmodSync(cli, 0o755);
  if (existsSync(join(rootDir, "src", "index.ts"))) declare();
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
  cpSync(source, target, {
    recursive: true,
    filter: (path) => extname(path) === "" || [".cjs", ".py"].includes(extname(path)),
  });
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
