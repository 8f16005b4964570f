import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { bundlesOf } from "../scripts/bundles.mjs";

type Output = Metafile["outputs"][string];

/** All files that ship, with what stands in them. */
const outputs = new Map<string, Output>();

beforeAll(async () => {
  const built = await Promise.all(
    bundlesOf({ watch: false }).map((options) => build({ ...options, write: false, metafile: true })),
  );
  for (const { metafile } of built)
    for (const [path, output] of Object.entries(metafile.outputs)) outputs.set(path, output);
});

// HTTP/2 is served and never asked for: test/architecture.test.ts holds that.
const CONNECTS = /^(?:node:)?(?:https|tls|dgram)$/;

/** Files that can reach another machine once they are loaded. */
const connecting = (): readonly string[] =>
  [...outputs]
    .filter(([, { imports, inputs }]) => {
      const sources = Object.keys(inputs);
      return (
        sources.includes("src/server/upstream/connect.ts") || imports.some(({ path }) => CONNECTS.test(path))
      );
    })
    .map(([path]) => path);

test("of the files that ship, only those of the connecting module, of the proxy's agent and of a team's cache can reach another machine", () => {
  const files = connecting().map((path) => path.replace(/-[A-Z0-9]{8}\.js$/, ".js"));

  expect(files.sort()).toEqual([
    "dist/connect.cjs",
    "dist/https-proxy.cjs",
    "dist/proxy-agent.cjs",
    "dist/remote-redis.cjs",
    "dist/remote-s3.cjs",
    "dist/shared/connect.js",
    "dist/shared/dist.js",
    "dist/shared/redis-remote.js",
    "dist/shared/s3-remote.js",
  ]);
});

// A bundle that required it at once would have it inside: the bundler leaves outside only what is imported later.
test("nothing that ships imports those where it begins", () => {
  const those = new Set(connecting().map(nameOf));

  const loading = [...outputs].flatMap(([path, { imports }]) =>
    imports.filter(({ path: asked }) => those.has(nameOf(asked))).map(({ kind }) => ({ path, kind })),
  );

  expect(loading.filter(({ kind }) => kind === "import-statement")).toEqual([]);
  expect([...new Set(loading.map(({ path }) => nameOf(path)))]).toEqual(
    expect.arrayContaining(["cli.js", "connect.cjs", "deck.cjs", "jest.cjs"]),
  );
});

// What makes answers up costs neither start nor size where nobody asks for it.
test("the mock client core is in a file of its own, which VS Code and the command line load when a mock is switched on", () => {
  const inputsOf = (path: string): readonly string[] => Object.keys(outputs.get(path)?.inputs ?? {});
  const host = ["dist/extension.cjs", "dist/deck.cjs", "dist/cli.js"];
  const loads = host.flatMap((path) =>
    (outputs.get(path)?.imports ?? [])
      .filter(({ path: asked }) => ["stand-in.cjs", "mock-pages.cjs"].includes(nameOf(asked)))
      .map(({ path: asked, kind }) => [path, nameOf(asked), kind]),
  );

  expect(host.flatMap(inputsOf).filter((source) => source.startsWith("src/client/"))).toEqual([]);
  expect(inputsOf("dist/stand-in.cjs")).toContain("src/client/stand-in/stand-in.ts");
  expect(inputsOf("dist/stand-in.cjs").filter((source) => source.includes("gpt-tokenizer"))).toEqual([]);
  expect(outputs.get("dist/stand-in.cjs")?.bytes).toBeLessThan(128_000);
  expect([...new Set(loads.map((one) => one.join(" ")))].sort()).toEqual([
    "dist/cli.js stand-in.cjs dynamic-import",
    "dist/deck.cjs stand-in.cjs require-call",
    "dist/extension.cjs mock-pages.cjs require-call",
  ]);
});

test("what everybody loads has nothing of a team's cache but what is said of one", () => {
  const loaded = ["dist/cli.js", "dist/deck.cjs", "dist/extension.cjs", "dist/testing/jest.cjs"];

  const parts = new Set(
    loaded.flatMap((path) => Object.keys(outputs.get(path)?.inputs ?? { [path]: "is not built" })),
  );

  expect(
    [...parts].filter((path) => /^src\/(?:team|remote)\//.test(path) || /ioredis|aws4fetch/.test(path)),
  ).toEqual(["src/team/said.ts"]);
  expect(Object.keys(outputs.get("dist/team.cjs")?.inputs ?? {})).toContain("src/team/team-cache.ts");
});

test("what a page of a panel or a report needs is one script below 60 KB and one style sheet, and nothing beside them", () => {
  const pages = [...outputs].filter(([path]) => path.startsWith("dist/pages/"));

  expect(pages.map(([path]) => path).sort()).toEqual(
    ["overview", "report", "timeline"].flatMap((name) => [`dist/pages/${name}.css`, `dist/pages/${name}.js`]),
  );
  for (const [path, { bytes, imports }] of pages) {
    expect([path, imports]).toEqual([path, []]);
    expect(bytes).toBeLessThan(60_000);
  }
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
