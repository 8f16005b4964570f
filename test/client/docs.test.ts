import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { expect, test, vi } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const examples = [
  ...readFileSync(resolve(root, "docs/client.md"), "utf8").matchAll(
    /^## (.+)\n(?:(?!^## )[^])*?```ts\n([^]*?)```/gm,
  ),
];

/** The package's own names lead to its sources. */
const fromSource: Plugin = {
  name: "from-source",
  setup(bundle) {
    bundle.onResolve({ filter: /^llm-tapedeck(?:\/|$)/ }, ({ path }) => ({
      path: resolve(root, "src", path.replace(/^llm-tapedeck\/?/, ""), "index.ts"),
    }));
  },
};

/** What an example promises to print: the comments behind its lines. */
function promised(example: string): readonly string[] {
  return example.split("\n").flatMap((line) =>
    line
      .split(" // ")
      .slice(1)
      .map((text) => text.trim()),
  );
}

test.each(examples.map(([, title = "", code = ""]) => [title, code] as const))(
  "the example of “%s” prints what it says",
  async (title, code) => {
    const file = resolve(root, "node_modules/.cache", `example-${title.replaceAll(/\W+/g, "-")}.mjs`);
    await build({
      stdin: { contents: code, loader: "ts", resolveDir: root },
      bundle: true,
      format: "esm",
      platform: "node",
      mainFields: ["module", "main"],
      outfile: file,
      plugins: [fromSource],
      logLevel: "silent",
    });
    const printed: string[] = [];
    const log = vi
      .spyOn(console, "log")
      .mockImplementation((...values) => void printed.push(values.join(" ")));

    try {
      await import(pathToFileURL(file).href);
    } finally {
      log.mockRestore();
      rmSync(file, { force: true });
    }

    expect(promised(code).length).toBeGreaterThan(0);
    expect(printed).toEqual(promised(code));
  },
);

test("every example of the page is run", () => {
  const blocks = readFileSync(resolve(root, "docs/client.md"), "utf8").match(/^```ts$/gm) ?? [];

  expect(examples).toHaveLength(blocks.length);
});
