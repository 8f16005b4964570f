import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

const sdks = new Set(["openai", "@anthropic-ai/sdk", "@google/genai", "ollama"]);
const entries = ["client", "systems"].flatMap((room) =>
  readdirSync(resolve(root, "src", room), { recursive: true, encoding: "utf8" })
    .map((path) => `${room}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith("/index.ts")),
);

/** All entry points, bundled together: a chunk holds only modules that all of its importers need. */
const { outputs } = (
  await build({
    entryPoints: entries.map((entry) => resolve(root, "src", entry)),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    outdir: resolve(root, "dist"),
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    logLevel: "silent",
  })
).metafile;

/** The packages that an entry point brings along, by name: not those that it loads only when they are asked for. */
function packagesOf(entry: string): readonly string[] {
  const [first = ""] = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === `src/${entry}` ? [path] : [],
  );
  const files = new Set([first]);
  for (const file of files)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement") files.add(path);
  const names = [...files]
    .flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
    .flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

test("the client core brings no SDK along", () => {
  const packages = packagesOf("client/index.ts");

  expect(packages.filter((name) => name in manifest.peerDependencies)).toEqual([]);
  console.log(`▸ ./client bundles ${packages.length === 0 ? "no package" : packages.join(", ")}`);
});

test("kosong's module brings only what checks the arguments of its tools", () => {
  expect(packagesOf("systems/kosong/index.ts")).toEqual(["@cfworker/json-schema"]);
});

test("no entry point brings a provider's SDK, and every SDK is an optional peer", () => {
  const brought = entries.flatMap((entry) =>
    packagesOf(entry).flatMap((name) => (sdks.has(name) ? [`${entry}: ${name}`] : [])),
  );

  expect(entries).toHaveLength(6);
  expect(brought).toEqual([]);
  expect(
    Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
    ),
  ).toEqual([]);
});

/** Rooms that mocks and wrappers have no use for. */
const ELSEWHERE =
  /^src\/(?:client\/(?:stand-in|wire|python)\/|client\/json\/(?:repair|python)|client\/mock\/chaos|core\/(?:engine|source|match|config|protocol\/(?!base\/lenient))|storage|server|systems|deck)/u;

test("a few names of the client core bundle without systems, recordings and anything of Node", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'export { fixedClient, retrying, scriptedClient } from "./src/client/index.ts";',
      resolveDir: root,
    },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });

  const [output] = Object.values(metafile.outputs);
  const modules = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
  expect(modules).toContain("src/client/retry.ts");
  expect(output?.imports).toEqual([]);
  expect(modules.filter((path) => ELSEWHERE.test(path))).toEqual([]);
  expect(modules.filter((path) => path.includes("node_modules/"))).toEqual([]);
  console.log(`▸ three names of ./client are ${modules.length} modules, ${output?.bytes} bytes`);
});
