// The bundles that ship, as options for their bundlers: what stands in which file of dist/. What one program loads has each
// source once, so that what it remembers it remembers once; what few need is a file of its own, loaded by `import()`.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { forNode, requireForModules } from "./bundling.mjs";
import { rootDir } from "./host/paths.mjs";

/** The runners that tests can take a tape from. */
const RUNNERS = ["vitest", "jest", "node-test"];

/** Packages that a user of the library has, if any. */
const { peerDependencies = {} } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
const peers = Object.keys(peerDependencies).flatMap((name) => [name, `${name}/*`]);

/** @type {import("esbuild").BuildOptions} */
const shared = { ...forNode, sourcemap: "external", legalComments: "none", charset: "utf8" };

/** ES modules for Node; what several of them need is in files that they share. @satisfies {import("esbuild").BuildOptions} */
const modules = /** @type {const} */ ({
  ...shared,
  outdir: "dist",
  format: "esm",
  splitting: true,
  external: peers,
  banner: { js: requireForModules },
});

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

/**
 * The command line, and the thread that reads the files of an import.
 * @type {import("esbuild").BuildOptions}
 */
export const commandLine = {
  ...modules,
  entryPoints: {
    cli: "src/cli/program.ts",
    "import-reader": "src/importing/reader-program.ts",
  },
  chunkNames: "cli/[name]-[hash]",
};

/**
 * Engine, store and server are loaded when a session first asks for its deck: a window that does not use Tapedeck never
 * does. Sessions ask at once, and so it is no `import()`.
 * @type {import("rolldown").Plugin}
 */
const deckWhenAsked = {
  name: "deck-when-asked",
  resolveId: (id, importer) => (importer !== undefined && id.endsWith("/deck/deck.ts") ? DECK : undefined),
  load: (id) =>
    id === DECK
      ? `export const openDeck = (options) => require("${DECK_FILE}").openDeck(options);`
      : undefined,
};
const DECK = "\0deck-when-asked";
/** From the folder of the window's file. */
const DECK_FILE = "../deck.cjs";

/**
 * The extension: one file that a window loads at once, and what that loads when it is needed. In CommonJS, because what a
 * CommonJS module requires is the editor's, which knows its proxies. Rolldown divides CommonJS; esbuild does not.
 * @param {{ watch: boolean }} how
 */
export const editorBundle = ({ watch }) => ({
  /** @satisfies {import("rolldown").InputOptions} */
  input: /** @type {const} */ ({
    cwd: rootDir,
    input: { extension: "src/editor/window/extension.ts", deck: "src/deck/deck.ts" },
    platform: "node",
    external: [
      "vscode",
      DECK_FILE,
      /^node:/,
      ...Object.keys(peerDependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
    ],
    resolve: { mainFields: forNode.mainFields },
    transform: { target: forNode.target },
    checks: { eval: false }, // the parser's runtime has some
    plugins: [deckWhenAsked],
  }),
  /** @satisfies {import("rolldown").OutputOptions} */
  output: /** @type {const} */ ({
    dir: "dist",
    format: "cjs",
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "editor/[name]-[hash].cjs",
    sourcemap: watch ? true : "hidden",
    minify: !watch,
    codeSplitting: {
      groups: [
        { name: "window", test: /\/editor\/window\/extension\.ts$/, priority: 2 },
        { name: "engine", test: /\/deck\/deck\.ts$/, priority: 1 },
      ],
      includeDependenciesRecursively: true,
    },
  }),
});

/** What calls mean is a file of its own: bundlers leave it out where nobody asks for more than the mock client core. */
const ofItsOwn = "src/core/protocol/registry.ts";

/** What programs import. No entry point pulls in another one's SDK. @type {import("esbuild").BuildOptions} */
export const library = {
  ...modules,
  entryPoints: [
    "src/index.ts",
    ...clientEntries(),
    ...RUNNERS.map((name) => `src/testing/${name}.ts`),
    ofItsOwn,
  ],
  outbase: "src",
  chunkNames: "shared/[name]-[hash]",
};

/** The same without modules of Node; settings of OpenManus are files, and so it is left out. @type {import("esbuild").BuildOptions} */
const browser = {
  ...shared,
  platform: "browser",
  entryPoints: [...clientEntries().filter((entry) => !entry.includes("openmanus")), ofItsOwn],
  outdir: "dist/browser",
  outbase: "src",
  format: "esm",
  splitting: true,
  chunkNames: "shared/[name]-[hash]",
  external: peers,
  define: { "process.env": "{}" },
  plugins: [pathForBrowsers],
};

/** All that esbuild makes. */
export const bundles = [commandLine, library, browser, pages];

/** The mock client core, each folder of it that has a public face, and the systems. */
function clientEntries() {
  return ["client", "systems"].flatMap((room) =>
    readdirSync(join(rootDir, "src", room), { recursive: true, encoding: "utf8" })
      .filter((path) => basename(path) === "index.ts")
      .map((path) => join("src", room, path)),
  );
}
