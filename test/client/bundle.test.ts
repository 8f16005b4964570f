import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

/** The packages that an entry point brings along, by name: not those that it loads only when they are asked for. */
async function packagesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [resolve(root, "src", entry)],
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
  });
  const [first = ""] = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint?.endsWith(`src/${entry}`) === true ? [path] : [],
  );
  const files = new Set([first]);
  for (const file of files) {
    for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
      if (kind === "import-statement") files.add(path);
  }
  const inputs = [...files].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  const names = inputs.flatMap((path) => {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].sort();
}

test("the client core brings no SDK along", async () => {
  const packages = await packagesOf("client/index.ts");

  expect(packages.filter((name) => name in manifest.peerDependencies)).toEqual([]);
  console.log(`▸ ./client bundles ${packages.length === 0 ? "no package" : packages.join(", ")}`);
});

test("kosong's module brings none either, nor does tracing, which loads OpenTelemetry's API with the first call", async () => {
  const ofCore = new Set(await packagesOf("client/index.ts"));
  expect((await packagesOf("systems/kosong/index.ts")).filter((name) => !ofCore.has(name))).toEqual([]);
  expect(
    (await packagesOf("client/tracing/index.ts")).filter((name) => name in manifest.peerDependencies),
  ).toEqual([]);
});

test("no entry point brings more than one provider's SDK, and every SDK is an optional peer", async () => {
  const sdks = new Set(["openai", "@anthropic-ai/sdk", "@google/genai", "ollama"]);
  const folders = ["client", "systems"].flatMap((room) =>
    readdirSync(resolve(root, "src", room), { recursive: true, encoding: "utf8" })
      .map((path) => `${room}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith("/index.ts") && path !== "client/index.ts"),
  );

  for (const entry of folders) {
    const found = (await packagesOf(entry)).filter((name) => sdks.has(name));
    expect([entry, found.length]).toEqual([entry, Math.min(found.length, 1)]);
  }
  expect(
    Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
    ),
  ).toEqual([]);
});

/** Rooms that mocks and wrappers have no use for. */
const ELSEWHERE =
  /^src\/(?:client\/(?:adapters|stand-in|tracing|wire|python)\/|client\/json\/(?:repair|python)|client\/mock\/(?:cached|chaos)|core\/(?:engine|source|match|config|protocol\/(?!base\/lenient))|storage|server|systems|deck)/u;

test("a few names of the client core bundle without adapters, systems, recordings and anything of Node", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'export { fixedClient, retrying, tallied } from "./src/client/index.ts";',
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
  expect(modules).toContain("src/client/wrap/retry.ts");
  expect(output?.imports).toEqual([]);
  expect(modules.filter((path) => ELSEWHERE.test(path) || path.includes("node_modules"))).toEqual([]);
  console.log(`▸ three names of ./client are ${modules.length} modules, ${output?.bytes} bytes`);
});
