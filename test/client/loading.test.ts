import { execFile } from "node:child_process";
import { readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const out = resolve(root, "node_modules/.cache/entry-points");
const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};
/** What users bring along themselves: SDKs, tokenizers, tracing. */
const PEERS = Object.keys(manifest.peerDependencies);

/** What an entry point loads by itself; SDKs and tracing wait for the first call. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "./vitest": ["vitest"],
};

const entries = Object.entries(manifest.exports).map(([name, target]) => [name, sourceOf(target)] as const);
const modules = entries.filter(([, source]) => source !== undefined) as (readonly [string, string])[];

/** The source of what ships under an entry point; undefined for what is no module. */
function sourceOf(target: unknown): string | undefined {
  if (typeof target === "string") return undefined;
  const { default: built } = target as { default: string | { default: string } };
  const path = typeof built === "string" ? built : built.default;
  return path.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts");
}

beforeAll(async () => {
  await build({
    absWorkingDir: root,
    entryPoints: modules.map(([, source]) => source),
    outbase: "src",
    outdir: out,
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Tells every module that node resolves, while it loads one. */
const TELLING = `
  import { writeSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    writeSync(1, found.url + "\\n");
    return found;
  }`;
const asData = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

test.each(modules)("importing %s in a process of its own loads no SDK", async (name, source) => {
  const file = pathToFileURL(
    join(realpathSync(out), source.replace(/^src\//, "").replace(/\.ts$/, ".mjs")),
  ).href;
  const register = `import { register } from "node:module"; register(${JSON.stringify(asData(TELLING))});`;

  const { stdout } = await promisify(execFile)(
    process.execPath,
    // Vitest's own module cannot be loaded outside of a run: how far it came is enough.
    [
      "--import",
      asData(register),
      "--input-type=module",
      "-e",
      `await import(${JSON.stringify(file)}).catch(() => {});`,
    ],
    { cwd: dirname(root), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );

  const urls = stdout.split("\n");
  const peers = PEERS.filter((peer) => urls.some((url) => url.includes(`/node_modules/${peer}/`)));
  expect(urls).toContain(file);
  expect(peers).toEqual(NAMES[name] ?? []);
});

/** Lets a process resolve no package of this name, as where nobody installed it. */
const hiding = (peer: string): string => `
  export async function resolve(specifier, context, next) {
    const isHidden = specifier === ${JSON.stringify(peer)} || specifier.startsWith(${JSON.stringify(`${peer}/`)});
    if (isHidden) throw Object.assign(new Error("Cannot find package '${peer}' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(specifier, context);
  }`;

test.each([
  ["anthropic", "createAnthropic", "@anthropic-ai/sdk"],
  ["azure-openai", "createAzureChat", "openai"],
  ["dashscope-compatible", "createDashscopeCompatible", "openai"],
  ["gemini", "createGemini", "@google/genai"],
  ["ollama", "createOllama", "ollama"],
  ["openai", "createOpenaiResponses", "openai"],
])("a call by client/%s without its SDK says what to install", async (entry, create, peer) => {
  const file = pathToFileURL(join(realpathSync(out), "client", "adapters", entry, "index.mjs")).href;
  const register = `import { register } from "node:module"; register(${JSON.stringify(asData(hiding(peer)))});`;
  const code = `
    const { ${create}: create } = await import(${JSON.stringify(file)});
    const request = { messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }] };
    const told = await create({ model: "m" }).complete(request).catch((error) => error);
    console.log(JSON.stringify([told.kind, told.message, told.hint]));`;

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", asData(register), "--input-type=module", "-e", code],
    { cwd: dirname(root), encoding: "utf8" },
  );

  expect(JSON.parse(stdout)).toEqual([
    "validation",
    `${peer}: the package is not installed`,
    `Install it: npm install ${peer}`,
  ]);
});

test("every entry point that is there for an SDK is among them", () => {
  const names = modules.map(([name]) => name);

  console.log(`▸ ${names.length} entry points, ${Object.keys(NAMES).length} of which load a peer`);
  expect(names).toEqual(expect.arrayContaining(Object.keys(NAMES)));
});
