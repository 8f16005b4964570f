// The bundles that ship, as options for esbuild: what stands in which file of dist/, and which parts are files of their
// own because few need them, or because they must not be there unless they are needed.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { forNode, requireForModules } from "./bundling.mjs";
import { rootDir } from "./host/paths.mjs";

/** The runners that tests can take a tape from. */
const RUNNERS = ["vitest", "jest", "node-test"];

/** Packages that a user of the library has, if any. */
const { peerDependencies = {} } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
const peers = Object.keys(peerDependencies).flatMap((name) => [name, `${name}/*`]);

/** @type {import("esbuild").BuildOptions} */
const shared = { ...forNode, sourcemap: "external", legalComments: "none", charset: "utf8" };

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

/** The rules that find secrets ask for the last name of a path, and for nothing else of Node. @type {import("esbuild").Plugin} */
const pathForBrowsers = {
  name: "path-for-browsers",
  setup(bundle) {
    bundle.onResolve({ filter: /^node:(?:path|fs)$/ }, () => ({ path: "path", namespace: "for-browsers" }));
    bundle.onLoad({ filter: /^path$/, namespace: "for-browsers" }, () => ({
      contents: 'export const basename = (path) => path.split("/").at(-1); export default { basename };',
    }));
  },
};

/** What a CommonJS module requires is the editor's, which knows its proxies; what it imports need not be. */
const byRequire = { "dynamic-import": false };

/** Where a CommonJS module lies, as the sources ask for it. @satisfies {import("esbuild").BuildOptions} */
const withOwnUrl = {
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "importMetaUrl" },
};

/** @type {import("esbuild").BuildOptions} */
const forEditor = {
  ...shared,
  format: "cjs",
  external: ["vscode"],
  minify: true,
  supported: byRequire,
  ...withOwnUrl,
};

/**
 * A part of the sources that is a bundle of its own, beside those that load it by `import()`: `options` make the bundle,
 * `plugin` leads others to it, `pluginBelow` those in folders beside it.
 * @param {string} source
 * @param {string} name of the bundle
 * @returns {{ options: import("esbuild").BuildOptions, plugin: import("esbuild").Plugin, pluginBelow: import("esbuild").Plugin }}
 */
function apart(source, name) {
  const path = join(rootDir, source);
  const filter = new RegExp(`/${basename(source).replaceAll(".", "[.]")}$`);
  const leadTo = (/** @type {string} */ bundlePath) => ({
    name: `${name} apart`,
    setup(/** @type {import("esbuild").PluginBuild} */ bundle) {
      bundle.onResolve({ filter }, ({ kind, resolveDir, path: asked }) =>
        kind === "dynamic-import" && resolve(resolveDir, asked) === path
          ? { path: bundlePath, external: true }
          : undefined,
      );
    },
  });
  return {
    options: {
      ...shared,
      entryPoints: [source],
      outfile: `dist/${name}`,
      format: "cjs",
      minify: true,
    },
    plugin: leadTo(`./${name}`),
    pluginBelow: leadTo(`../${name}`),
  };
}

/** What reads MetaGPT's caches is loaded where a workspace has one. */
const caches = apart("src/editor/metagpt/cache-files-model.ts", "metagpt-caches.cjs");

/** Only an import of cassettes needs YAML's reader. */
const yaml = apart("src/importing/read-yaml.ts", "read-yaml.cjs");

/** Few windows ever look through a whole folder. */
const check = apart("src/editor/checks/folder-check.ts", "folder-check.cjs");

/** What an overview is read by is loaded when one is opened. */
const overview = apart("src/editor/panels/overview-reader.ts", "overview-reader.cjs");

/** Few people ever come from another tool. */
const importing = apart("src/editor/importing/import-command.ts", "import-recordings.cjs");

/** What lenient mode answers with is chosen now and then. */
const mockPages = apart("src/editor/mocks/mock-pages.ts", "mock-pages.cjs");

/** The rules that find secrets are loaded where something is recorded, redacted or checked. */
const secretRules = apart("src/core/secrets/rules.ts", "secret-rules.cjs");

/** What opens connections is in no other bundle: as long as no mode forwards, it is not even loaded. */
const connecting = apart("src/server/upstream/connect.ts", "connect.cjs");

/** The mock client core answers where something is to be made up or to go wrong, which few runs ask for. */
const standIn = apart("src/client/stand-in/stand-in.ts", "stand-in.cjs");

/** What stands for providers' hosts is loaded by `run --proxy` and the setting `tapedeck.proxy` alone. */
const httpsProxy = apart("src/server/proxy/serve-proxy.ts", "https-proxy.cjs");

/** Engines of a team's cache and the clients that they need, each loaded where such a cache is named. */
const s3 = apart("src/remote/s3/s3-remote.ts", "remote-s3.cjs");
const redis = apart("src/remote/redis/redis-remote.ts", "remote-redis.cjs");

/** Few have a team's cache. */
const team = apart("src/team/team.ts", "team.cjs");

/** Large bodies are worked on in a thread of its own, whose program this is. @type {import("esbuild").BuildOptions} */
const aside = {
  ...shared,
  entryPoints: ["src/deck/aside/worker.ts"],
  outfile: "dist/aside.cjs",
  format: "cjs",
  minify: true,
  plugins: [secretRules.plugin, team.plugin],
};

const teamBundles = [
  {
    ...team.options,
    ...withOwnUrl,
    supported: byRequire,
    plugins: [s3.plugin, redis.plugin, secretRules.plugin],
  },
  { ...s3.options, supported: byRequire, plugins: [proxyApart] },
  { ...redis.options, supported: byRequire, plugins: [proxyApart] },
];
/**
 * What panels and reports show, for a browser; loaded when one is opened. A style sheet is a bundle of its own.
 * @type {import("esbuild").BuildOptions}
 */
export const pages = {
  ...shared,
  platform: "browser",
  target: "es2022",
  entryPoints: ["timeline", "overview", "report"].flatMap((name) => [
    `src/pages/${name}/${name}.ts`,
    `src/pages/${name}/${name}.css`,
  ]),
  outdir: "dist/pages",
  entryNames: "[name]",
  format: "iife",
  minify: true,
  sourcemap: false,
};

/** The command line: its program, and what that loads where it is needed. @type {readonly import("esbuild").BuildOptions[]} */
export const commandLine = [
  {
    ...shared,
    entryPoints: ["src/cli/program.ts"],
    outfile: "dist/cli.js",
    format: "esm",
    banner: { js: `#!/usr/bin/env node\n${requireForModules}` },
    plugins: [
      yaml.plugin,
      secretRules.plugin,
      connecting.plugin,
      standIn.plugin,
      httpsProxy.plugin,
      team.plugin,
    ],
  },
  ...teamBundles,
  aside,
  yaml.options,
  httpsProxy.options,
  // Who counts tokens has the package that does; without it they are estimated.
  { ...standIn.options, external: peers },
  secretRules.options,
  { ...connecting.options, supported: byRequire, plugins: [proxyApart] },
  {
    ...shared,
    entryPoints: ["node_modules/https-proxy-agent/dist/index.js"],
    outfile: "dist/proxy-agent.cjs",
    format: "cjs",
    minify: true,
    sourcemap: false,
  },
];

/** @type {readonly import("esbuild").BuildOptions[]} */
const bundles = [
  {
    ...forEditor,
    entryPoints: ["src/editor/window/extension.ts"],
    outfile: "dist/extension.cjs",
    plugins: [
      parserApart,
      deckApart,
      caches.plugin,
      check.plugin,
      overview.plugin,
      importing.plugin,
      mockPages.plugin,
      secretRules.plugin,
      httpsProxy.plugin,
      team.plugin,
    ],
  },
  {
    ...forEditor,
    entryPoints: ["src/deck/deck.ts"],
    outfile: "dist/deck.cjs",
    plugins: [connecting.plugin, secretRules.plugin, standIn.plugin, team.plugin],
  },
  { ...check.options, ...forEditor, plugins: [secretRules.plugin] },
  { ...mockPages.options, ...forEditor, plugins: [secretRules.plugin] },
  { ...overview.options, ...forEditor, plugins: [secretRules.plugin] },
  { ...importing.options, ...forEditor, plugins: [yaml.plugin, secretRules.plugin] },
  caches.options,
  pages,
  {
    ...shared,
    entryPoints: ["node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter.js"],
    outfile: "dist/grammars/tree-sitter.cjs",
    format: "cjs",
    minify: true,
    sourcemap: false,
  },
  ...commandLine,
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
    // The same without modules of Node; settings of OpenManus are files, and so it is left out.
    ...shared,
    platform: "browser",
    entryPoints: clientEntries().filter((entry) => !entry.includes("openmanus")),
    outdir: "dist/browser",
    outbase: "src",
    format: "esm",
    splitting: true,
    chunkNames: "shared/[name]-[hash]",
    external: peers,
    define: { "process.env": "{}" },
    plugins: [pathForBrowsers],
  },
  {
    // jest loads CommonJS unless it is told otherwise.
    ...shared,
    ...withOwnUrl,
    entryPoints: ["src/testing/jest.ts"],
    outfile: "dist/testing/jest.cjs",
    format: "cjs",
    external: peers,
    // Its sandbox has no `import()`.
    supported: byRequire,
    plugins: [connecting.pluginBelow, standIn.pluginBelow, team.pluginBelow],
  },
];

/** All bundles; to be watched, readable and linked to their source maps. @param {{ watch: boolean }} how @returns {import("esbuild").BuildOptions[]} */
export function bundlesOf({ watch }) {
  return bundles.map((options) => (watch ? { ...options, minify: false, sourcemap: "linked" } : options));
}

/** The mock client core and each folder of it that has a public face. */
function clientEntries() {
  return readdirSync(join(rootDir, "src", "client"), { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "index.ts")
    .map((path) => join("src", "client", path));
}
