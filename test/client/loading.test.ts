import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

/** The peer that each entry point loads at import; SDKs and tracing load with the first call. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "./vitest": ["vitest"],
};

const entries = Object.entries(manifest.exports).map(([name, target]) => [name, sourceOf(target)] as const);
const modules = entries.filter(([, source]) => source !== undefined) as (readonly [string, string])[];

/** Returns the source file of an entry point; undefined if it is not a module. */
function sourceOf(target: unknown): string | undefined {
  if (typeof target === "string") return undefined;
  const { default: built } = target as { default: string | { default: string } };
  const path = typeof built === "string" ? built : built.default;
  return path.replace(/^\.\/dist\/esm\//, "src/").replace(/\.js$/, ".ts");
}

/** A folder with a configuration of OpenManus. */
const configured = join(out, "configured");

beforeAll(async () => {
  mkdirSync(join(configured, "config"), { recursive: true });
  writeFileSync(join(configured, "config/config.toml"), "[llm]\n");
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

test.each(modules)("importing %s in a separate process loads no SDK", async (name, source) => {
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

/** Returns code that hides this package from a process, as if it were not installed. */
const hiding = (peer: string): string => `
  export async function resolve(specifier, context, next) {
    const isHidden = specifier === ${JSON.stringify(peer)} || specifier.startsWith(${JSON.stringify(`${peer}/`)});
    if (isHidden) throw Object.assign(new Error("Cannot find package '${peer}' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(specifier, context);
  }`;

const ASKED = `[{ role: "user", content: "hi" }]`;
const MIRO = `{ taskId: "t", cfg: { agent: { keep_tool_result: -1 }, llm: { provider: "any", model_name: "m",
  temperature: 1, top_p: 1, min_p: 0, top_k: -1, max_context_length: 9, max_tokens: 9, async_client: true } } }`;

/** Who needs a package of the user's own, by entry point: what is done with its module `m`. */
test.each([
  ["systems/agentscope", "openai", `new m.OpenAIChatModel({ modelName: "m" }).call(${ASKED})`],
  ["systems/agentscope", "@anthropic-ai/sdk", `new m.AnthropicChatModel({ modelName: "m" }).call(${ASKED})`],
  ["systems/agentscope", "@google/genai", `new m.GeminiChatModel({ modelName: "m" }).call(${ASKED})`],
  ["systems/agentscope", "ollama", `new m.OllamaChatModel({ modelName: "m" }).call(${ASKED})`],
  ["systems/miroflow", "openai", `m.createMiroClient(m.openAiProvider, ${MIRO})`],
  ["systems/miroflow", "@anthropic-ai/sdk", `m.createMiroClient(m.anthropicProvider, ${MIRO})`],
  ["systems/openmanus", "openai", `m.connectSdk()({ api_type: "openai" })`],
  ["systems/openmanus", "gpt-tokenizer", `m.loadEncoding("cl100k_base")`],
  ["systems/openmanus", "smol-toml", `m.loadConfig({ root: process.env.CONFIGURED })`],
])("%s without %s reports what to install", async (entry, peer, call) => {
  const file = pathToFileURL(join(realpathSync(out), entry, "index.mjs")).href;
  const register = `import { register } from "node:module"; register(${JSON.stringify(asData(hiding(peer)))});`;
  const code = `
    const m = await import(${JSON.stringify(file)});
    const told = await Promise.resolve().then(() => ${call}).catch((error) => error);
    console.log(JSON.stringify([told.kind, told.message, told.hint]));`;

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", asData(register), "--input-type=module", "-e", code],
    { cwd: dirname(root), encoding: "utf8", env: { ...process.env, CONFIGURED: configured } },
  );

  expect(JSON.parse(stdout)).toEqual([
    "validation",
    `${peer}: the package is not installed`,
    `Install it: npm install ${peer}`,
  ]);
});

test("every entry point that is there for an SDK is among them", () => {
  const names = modules.map(([name]) => name);

  console.log(`▸ ${names.length} entry points, ${Object.keys(NAMES).length} load a peer`);
  expect(names).toEqual(expect.arrayContaining(Object.keys(NAMES)));
});
