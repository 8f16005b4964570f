import { resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const SDKS = ["openai", "@anthropic-ai/sdk", "@google/genai", "ollama"];

const NEEDS: readonly (readonly [entry: string, ...sdks: string[]])[] = [
  ["client/adapters/openai", "openai"],
  ["client/adapters/azure-openai", "openai"],
  ["client/adapters/dashscope-compatible", "openai"],
  ["client/adapters/anthropic", "@anthropic-ai/sdk"],
  ["client/adapters/gemini", "@google/genai"],
  ["client/adapters/ollama", "ollama"],
  ["client/adapters/dashscope"],
  ["systems/agentscope", ...SDKS],
];

test.each(NEEDS)("the bundle of %s loads its own SDK alone, when a call needs it", async (entry, ...sdks) => {
  const outputs = await outputsOf(`src/${entry}/index.ts`);

  expect(loadedBy(outputs, ["import-statement"])).toEqual([]);
  expect(loadedBy(outputs, ["import-statement", "dynamic-import"])).toEqual([...sdks].sort());
});

type Outputs = Metafile["outputs"];

async function outputsOf(entry: string): Promise<Outputs> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: "unused",
    write: false,
    metafile: true,
    external: SDKS.flatMap((name) => [name, `${name}/*`]),
  });
  return metafile.outputs;
}

/** The SDKs that the entry loads by these kinds of imports: at once, or when a call needs them too. */
function loadedBy(outputs: Outputs, kinds: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? []) {
      if (!kinds.includes(kind)) continue;
      const sdk = external ? SDKS.find((one) => path === one || path.startsWith(`${one}/`)) : undefined;
      if (sdk !== undefined) found.add(sdk);
      else visit(path);
    }
  };
  const entry = Object.keys(outputs).find((name) => outputs[name]?.entryPoint !== undefined);
  expect(entry).toBeDefined();
  visit(entry ?? "");
  return [...found].sort();
}
