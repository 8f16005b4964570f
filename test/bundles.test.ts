import { beforeAll, expect, test } from "vitest";
import { builtFiles, loadedWith } from "./support/built-files.ts";

let files: Awaited<ReturnType<typeof builtFiles>>;

beforeAll(async () => {
  files = await builtFiles();
});

/** What users and the editor start or import. */
const PROGRAMS = [
  "cli/main.cjs",
  "extension.cjs",
  "deck.cjs",
  "index.js",
  "testing/jest.js",
  "esm/index.js",
].map((name) => `dist/${name}`);

/** Removes the part of a name that distinguishes builds. */
const nameOf = (path: string): string => path.replace(/-[\w-]{8}(?=\.c?js$)/, "");

const sourcesWith = (program: string): readonly string[] => {
  if (!files.has(program)) throw new Error(`${program} is not built.`);
  return loadedWith(files, program).flatMap((path) => files.get(path)?.sources ?? []);
};

// HTTP/2 is served and never asked for: test/architecture.test.ts holds that.
const CONNECTS = /^(?:node:)?(?:https|tls|dgram)$/;

/** Files that can reach another machine once they are loaded. */
const connecting = (): readonly string[] =>
  [...files]
    .filter(
      ([, { atOnce, sources }]) =>
        sources.includes("src/server/upstream/connect.ts") || atOnce.some((path) => CONNECTS.test(path)),
    )
    .map(([path]) => path);

// WebSockets are served and opened by one package, which is loaded with the first WebSocket.
test("of the files that ship, only those of the connecting module, of WebSockets, of the proxy's agent and of a team's cache can reach another machine", () => {
  const names = connecting().map(nameOf);

  expect(names.sort()).toEqual(
    ["cli", "editor", "esm/shared", "shared"].flatMap((folder) => {
      const end = folder === "editor" || folder === "cli" ? "cjs" : "js";
      const proxies = folder === "cli" ? ["serve-proxy"] : [];
      return ["connect", "dist", "redis", "s3", ...proxies, "sockets"].map(
        (name) => `dist/${folder}/${name}.${end}`,
      );
    }),
  );
});

test("no program loads them at its start", () => {
  const those = new Set(connecting());

  expect(PROGRAMS.map((program) => sourcesWith(program).length > 0)).toEqual(PROGRAMS.map(() => true));
  expect(PROGRAMS.flatMap((program) => loadedWith(files, program).filter((path) => those.has(path)))).toEqual(
    [],
  );
});

// Two copies of a module have separate state: a key that one knows would be unknown to the other.
test("each program loads each source once", () => {
  const programs = [
    /^dist\/cli(?:\.js$|\/)/,
    /^dist\/(?!cli).*\.cjs$/,
    /^dist\/(?!esm|cli(?:\.js$|\/)).*\.js$/,
    /^dist\/esm\/.*\.js$/,
  ];

  for (const program of programs) {
    const sources = [...files].filter(([path]) => program.test(path)).flatMap(([, file]) => file.sources);
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.filter((source, at) => sources.indexOf(source) !== at)).toEqual([]);
  }
});

// Every window with a JavaScript or Python file loads it, whether its folder is recorded or not.
test("a window loads at most 278 KB, and nothing that reads recordings, replies or answers calls", () => {
  const loaded = loadedWith(files, "dist/extension.cjs").flatMap((path) => files.get(path) ?? []);
  const sources = loaded.flatMap((file) => file.sources);

  expect(sources).toContain("src/editor/calls-tree/calls-model.ts");
  expect(
    sources.filter((path) =>
      /^src\/(?:client|importing|remote|core\/(?:answer\/(?:source|engine)|formats|match\/rules|protocol\/\w+\/))|jsonc-parser/.test(
        path,
      ),
    ),
  ).toEqual([]);
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(278_000);
});

test("a window sets its language before its other modules compose their texts", () => {
  const sources = sourcesWith("dist/extension.cjs");
  const language = sources.indexOf("src/editor/extension/language.ts");

  expect(language).toBeGreaterThanOrEqual(0);
  expect(sources.indexOf("src/editor/session/mode-model.ts")).toBeGreaterThan(language);
});

// Mocks cost neither start time nor size when they are not used.
test("the mock client core is loaded when a mock is switched on", () => {
  const early = ["dist/extension.cjs", "dist/deck.cjs", "dist/cli/main.cjs"].flatMap(sourcesWith);
  const standIns = [...files].filter(([path]) => /^dist\/(?:cli|editor)\/stand-in\./.test(nameOf(path)));

  expect(early.filter((source) => source.startsWith("src/client/"))).toEqual([]);
  expect(standIns).toHaveLength(2);
  for (const [, { bytes, sources }] of standIns) {
    expect(sources).toContain("src/client/stand-in/stand-in.ts");
    expect(bytes).toBeLessThan(200_000);
  }
});

test("the programs load nothing of a team cache at their start but its variables", () => {
  const parts = new Set(PROGRAMS.flatMap(sourcesWith));

  expect(
    [...parts].filter((path) => /^src\/(?:team|remote)\//.test(path) || /ioredis|aws4fetch/.test(path)),
  ).toEqual(["src/team/remote-variables.ts"]);
  expect(
    [...files.values()].filter(({ sources }) => sources.includes("src/team/team-cache.ts")),
  ).toHaveLength(4);
});

test("the MCP server is in one file, which is loaded only when `tapedeck mcp` or `tapedeck agent` runs", () => {
  const holding = [...files].filter(([, { sources }]) =>
    sources.some((source) => /@modelcontextprotocol|src\/cli\/agent\//.test(source)),
  );
  const file = holding[0]?.[0] ?? "";
  const naming = [...files].filter(([, { atOnce, later }]) => [...atOnce, ...later].includes(file));

  expect(holding.map(([path]) => nameOf(path))).toEqual(["dist/cli/mcp.cjs"]);
  expect(naming.map(([path, { atOnce }]) => [nameOf(path), atOnce.includes(file)])).toEqual([
    ["dist/cli/agent.cjs", false],
  ]);
  expect(sourcesWith("dist/extension.cjs").filter((source) => /src\/agent\/|\/zod\//.test(source))).toEqual(
    [],
  );
});

test("programs bring the library that checks the input of agents: users need not install it", () => {
  const needing = [...files].filter(
    ([path, { atOnce }]) =>
      /^dist\/(?:cli|editor)\//.test(path) && atOnce.some((name) => /^zod(?:\/|$)/.test(name)),
  );

  expect(needing.map(([path]) => path)).toEqual([]);
});
