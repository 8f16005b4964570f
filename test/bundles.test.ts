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
}, 60_000);

const CONNECTS = /^(?:node:)?(?:https|tls|http2|dgram)$/;

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

test("of the files that ship, only that of the connecting module and of the proxy's agent can reach another machine", () => {
  const files = connecting().map((path) => path.replace(/-[A-Z0-9]{8}\.js$/, ".js"));

  expect(files.sort()).toEqual([
    "dist/connect.cjs",
    "dist/proxy-agent.cjs",
    "dist/shared/connect.js",
    "dist/shared/dist.js",
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

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
