// The bundles that ship, as options for their bundlers: which sources are in which file of dist/. A program loads each source
// once, so that module state exists once. Rarely needed code is in a separate file, loaded by `import()`.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { forNode } from "./bundling.mjs";
import { collectLoaded, entriesOnDemand, fastToLoad, loadOnDemand } from "./on-demand.mjs";
import { rootDir } from "./host/paths.mjs";

/** The test runners with a fixture of their own. */
const RUNNERS = ["vitest", "jest", "node-test"];

/** Packages that users of the library install themselves, if they need them. */
const { peerDependencies = {} } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
export const peers = Object.keys(peerDependencies);
const external = [/^node:/, ...peers.map((name) => new RegExp(`^${name}(?:/|$)`))];

/**
 * A program for Rolldown, which divides both kinds of modules into files that share what several of them need.
 * @typedef {object} Bundle
 * @property {import("rolldown").InputOptions} input
 * @property {readonly (import("rolldown").OutputOptions & { dir: string })[]} outputs once per kind of module
 */

/** @type {import("rolldown").InputOptions} */
const shared = {
  cwd: rootDir,
  platform: "node",
  external,
  resolve: { mainFields: forNode.mainFields },
  transform: { target: forNode.target },
  // The runtime of the grammars evaluates code; a file that two programs bundle may be loaded late in one of them only.
  checks: { eval: false, ineffectiveDynamicImport: false, pluginTimings: false },
};

/**
 * Declares the kind of a folder's `.js` files. Bundlers read the nearest package.json only, so that of modules repeats
 * which files have side effects.
 * @param {"commonjs" | "module"} type @returns {import("rolldown").Plugin}
 */
const declareKind = (type) => ({
  name: "declare-kind",
  generateBundle() {
    const effects = type === "module" ? { sideEffects: ["./testing/*"] } : {};
    const source = `${JSON.stringify({ type, ...effects })}\n`;
    this.emitFile({ type: "asset", fileName: "package.json", source });
  },
});

/** The first file of the command line. It requires the other files by their path. @type {Bundle} */
export const program = {
  input: { ...shared, input: { cli: "src/cli/program.ts" } },
  outputs: [
    {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].js",
      plugins: [declareKind("commonjs")],
      sourcemap: "hidden",
      comments: false,
    },
  ],
};

/**
 * Parts of the command line that are loaded when one of their functions is first called: `run` and `serve` start without
 * them.
 */
const ON_DEMAND = {
  answer: [
    "core/protocol/dialects.ts",
    "core/call/attribution.ts",
    "core/call/reported-values.ts",
    "core/cassette/recorded-request.ts",
    "core/match/key/key.ts",
    "core/match/read-request.ts",
    "core/answer/source/modes.ts",
    "core/answer/source/recordings.ts",
    "core/view/finding.ts",
    "core/view/miss.ts",
    "server/serve-connections.ts",
  ],
  nearest: [
    "core/match/differences/differences.ts",
    "core/match/differences/wording.ts",
    "core/match/nearest/nearest.ts",
    "core/match/nearest/features.ts",
  ],
  origins: [
    "core/match/origins/find-values.ts",
    "core/match/origins/moments.ts",
    "core/match/origins/reply-ids.ts",
    "core/match/origins/values.ts",
    "core/answer/source/own-values.ts",
    "core/secrets/redact-body.ts",
    "core/secrets/searched-texts.ts",
  ],
  describe: [
    "core/view/describe.ts",
    "core/view/prices/price-of.ts",
    "core/view/run-record/recorded-facts.ts",
  ],
  "read-files": [
    "core/config/read-config.ts",
    "core/config/edit-config.ts",
    "core/config/read-rule.ts",
    "core/config/read-script.ts",
    "core/config/read-faults.ts",
    "core/match/rules/rules.ts",
    "core/match/rules/patterns.ts",
    "core/cassette/file-reader.ts",
    "core/cassette/change-key.ts",
    "core/cassette/decode.ts",
    "core/cassette/decode-events.ts",
    "core/cassette/events.ts",
    "core/cassette/blobs.ts",
    "core/answer/source/owned-takes.ts",
    "core/answer/source/related-calls.ts",
    "core/answer/fetch.ts",
    "storage/watch/watch.ts",
  ],
  "write-recording": [
    "core/cassette/encode.ts",
    "core/secrets/guard.ts",
    "core/secrets/redact-call.ts",
    "core/answer/budget/budget.ts",
    "core/answer/budget/charge.ts",
    "deck/admit.ts",
  ],
  reports: [
    "cli/report/junit.ts",
    "cli/report/html.ts",
    "cli/report/markdown.ts",
    "cli/report/report-rows.ts",
    "cli/propose-rules.ts",
  ],
  "run-record": ["cli/run-record.ts"],
  "rsp-cache": ["systems/metagpt/cache/rsp-cache-store.ts"],
};

/** Only `tapedeck mcp` and `tapedeck agent` load these. */
const OF_AGENTS =
  /src\/(?:agent|cli\/agent|test-discovery)\/|node_modules\/(?:@modelcontextprotocol|zod|zod-to-json-schema|ajv|ajv-formats|fast-[\w-]+|json-schema-traverse)\//;

const atStart = collectLoaded(["cli/commands/run.ts"]);

/**
 * The command line. CommonJS, because Node 20 loads it in half the time
 * that ES modules take, and because a function can load its module without waiting.
 * @type {Bundle}
 */
export const commandLine = {
  input: {
    ...shared,
    external,
    input: {
      main: "src/cli/main.ts",
      ...entriesOnDemand(ON_DEMAND),
    },
    plugins: [
      loadOnDemand(ON_DEMAND, ["createNearestFinder", "createRequestReader", "createAdmit"]),
      atStart.plugin,
      fastToLoad,
    ],
  },
  outputs: [
    {
      dir: "dist/cli",
      format: "cjs",
      dynamicImportInCjs: false,
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      // Most of the time is spent per file.
      codeSplitting: {
        groups: [
          { name: "start", test: (id) => atStart.paths.has(id), priority: 2 },
          {
            name: "views",
            test: /src\/(?:core\/(?:view\/(?!finding)|base\/age)|storage\/find-recording)/,
            priority: 1,
          },
          { name: "run-record", test: /src\/cli\/run-record/, priority: 1 },
          { name: "mcp", test: OF_AGENTS },
        ],
      },
      sourcemap: "hidden",
      comments: false,
    },
  ],
};

const DECK = "\0deck-on-demand";
/** Relative to the folder of the window's file. */
const DECK_FILE = "../deck.cjs";

/**
 * Engine, store, and server are loaded when a session first opens its deck: a window that does not use Tapedeck never loads
 * them. Opening a deck is synchronous, so this is a `require()`.
 * @type {import("rolldown").Plugin}
 */
const deckOnDemand = {
  name: "deck-on-demand",
  resolveId: (id, importer) => (importer !== undefined && id.endsWith("/deck/deck.ts") ? DECK : undefined),
  load: (id) =>
    id === DECK
      ? `export const openDeck = (options) => require("${DECK_FILE}").openDeck(options);`
      : undefined,
};

/**
 * The extension: one file that a window loads at start, and files that it loads later. CommonJS, because the modules that a
 * CommonJS module requires are the editor's own, which know its proxies.
 * @param {{ watch: boolean }} options @returns {Bundle}
 */
export const extension = ({ watch }) => ({
  input: {
    ...shared,
    input: { extension: "src/editor/extension/extension.ts", deck: "src/deck/deck.ts" },
    external: ["vscode", DECK_FILE, ...external],
    plugins: [deckOnDemand],
    // package.json declares the sources free of side effects, but this module sets the language when it is loaded.
    treeshake: { moduleSideEffects: [{ test: /\/extension\/language\.ts$/, sideEffects: true }] },
  },
  outputs: [
    {
      dir: "dist",
      format: "cjs",
      dynamicImportInCjs: false,
      entryFileNames: "[name].cjs",
      chunkFileNames: "editor/[name]-[hash].cjs",
      sourcemap: watch ? true : "hidden",
      minify: !watch,
      codeSplitting: {
        groups: [
          { name: "window", test: /\/editor\/extension\/extension\.ts$/, priority: 2 },
          { name: "engine", test: /\/deck\/deck\.ts$/, priority: 1 },
        ],
        includeDependenciesRecursively: true,
      },
    },
  ],
});

/** The entry points of the library, by the path of their files in dist/. */
export const libraryEntries = Object.fromEntries(
  [
    "src/index.ts",
    ...clientEntries(),
    ...RUNNERS.map((name) => `src/testing/${name}.ts`),
    // A separate file, so that bundlers leave it out of programs that use only the mock client core.
    "src/core/protocol/registry.ts",
  ].map((path) => [path.replace(/^src\/|\.ts$/g, ""), path]),
);

/**
 * Parts of the core that several entry points share are in fewer, larger files: a package has few files. All entry points
 * need the base, and those that store recordings need the files. Modules that are loaded on demand stay separate: a file that
 * held one would need Node's module loader.
 */
const fewFiles = {
  groups: [
    { name: "base", test: /src\/core\/(?:base|call)\//, priority: 2 },
    { name: "files", test: /src\/storage\/(?:folder\/(?:durable-write|failures|sha256)|local\/lock)\.ts$/ },
    {
      name: "core",
      test: /src\/(?:core\/(?!base|call|secrets|protocol\/registry|answer\/(?:session|source\/forward)|view\/recording-facts|match\/rules\/plan-rules)|client\/(?!stand-in))/,
      entriesAware: true,
      entriesAwareMergeThreshold: 20_000,
      priority: 1,
    },
  ],
};

/**
 * Names a file by the first part of its group. The bundler's own names are long lists of entry points with slashes, and Node
 * looks for a `package.json` in each folder of a path.
 * @param {{ readonly name: string }} chunk
 */
const sharedFile = ({ name }) => `shared/${/^[\w-]*/.exec(name)?.[0]}-[hash].js`;

/**
 * Hides an optional package of a dependency from the bundlers of users: some fail if they cannot find it.
 * @type {import("rolldown").Plugin}
 */
const hideOptional = {
  name: "hide-optional",
  transform: (code) => code.replace("import('kerberos')", 'import(globalThis.String("kerberos"))'),
};

/** The library as ES modules, for Node and browsers alike, and as CommonJS. @type {Bundle} */
export const library = {
  input: { ...shared, input: libraryEntries, plugins: [hideOptional] },
  outputs: [
    {
      dir: "dist/esm",
      format: "esm",
      entryFileNames: "[name].js",
      plugins: [declareKind("module")],
      chunkFileNames: sharedFile,
      codeSplitting: fewFiles,
      sourcemap: "hidden",
      comments: false,
    },
    {
      dir: "dist",
      format: "cjs",
      // jest's sandbox has no `import()`.
      dynamicImportInCjs: false,
      entryFileNames: "[name].js",
      chunkFileNames: sharedFile,
      codeSplitting: fewFiles,
      comments: false,
    },
  ],
};

/** The mock client core and the systems: each folder that has a public `index.ts`. */
function clientEntries() {
  return ["client", "systems"].flatMap((room) =>
    readdirSync(join(rootDir, "src", room), { recursive: true, encoding: "utf8" })
      .filter((path) => basename(path) === "index.ts")
      .map((path) => join("src", room, path)),
  );
}
