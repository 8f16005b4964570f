import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const SDKS = ["openai", "@anthropic-ai/sdk", "@google/genai", "ollama"];

const NEEDS: readonly (readonly [entry: string, sdk: string | undefined])[] = [
  ["adapters/openai", "openai"],
  ["adapters/azure-openai", "openai"],
  ["adapters/dashscope-compatible", "openai"],
  ["adapters/anthropic", "@anthropic-ai/sdk"],
  ["adapters/gemini", "@google/genai"],
  ["adapters/ollama", "ollama"],
  ["adapters/dashscope", undefined],
  ["vocabularies/agentscope", undefined],
];

test.each(NEEDS)("the bundle of client/%s loads %s and no other SDK", async (entry, sdk) => {
  const loaded = await loadedBy(`src/client/${entry}/index.ts`);

  expect(loaded).toEqual(sdk === undefined ? [] : [sdk]);
});

/** The SDKs that are loaded with the entry itself; what is imported only when a call needs it does not count. */
async function loadedBy(entry: string): Promise<readonly string[]> {
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
  const outputs = new Map(Object.entries(metafile.outputs));
  const first = [...outputs].find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? "";
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of outputs.get(name)?.imports ?? []) {
      if (kind !== "import-statement") continue;
      const sdk = external ? SDKS.find((one) => path === one || path.startsWith(`${one}/`)) : undefined;
      if (sdk !== undefined) found.add(sdk);
      else visit(path);
    }
  };
  visit(first);
  expect(first).not.toBe("");
  return [...found];
}
