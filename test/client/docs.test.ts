import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { asProgram } from "../../scripts/bundling.mjs";
import { aFolder } from "../support/a-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const SYSTEMS = readdirSync(resolve(root, "docs/systems")).map((page) => `docs/systems/${page}`);
const PAGES = ["README.md", "README.zh-CN.md", "docs/library.md", "docs/systems.md", ...SYSTEMS];
const blocks = PAGES.flatMap((page) => {
  const text = readFileSync(resolve(root, page), "utf8");
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""], at) => ({
    title: `${page}, ${at + 1}`,
    code,
  }));
});
const [printing, silent] = [true, false].map((prints) =>
  blocks.filter(({ code }) => promised(code).length > 0 === prints),
);

const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly default?: unknown }>>;
};

/** The sources behind the package's own names, relative to its root. */
const sources: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([name, { default: built }]) =>
    typeof built === "string"
      ? [[name.replace(".", "llm-tapedeck"), built.replace("./dist/esm/", "src/").replace(/\.js$/, ".ts")]]
      : [],
  ),
);

/** The package's own names lead to its sources. */
const fromSource: Plugin = {
  name: "from-source",
  setup(bundle) {
    bundle.onResolve({ filter: /^llm-tapedeck(?:\/|$)/ }, ({ path }) => ({
      path: resolve(root, sources[path] ?? path),
    }));
  },
};

/** An example as a program that runs. */
async function bundleExample(code: string, outfile: string): Promise<void> {
  await build({
    ...asProgram,
    stdin: { contents: code, loader: "ts", resolveDir: root },
    outfile,
    plugins: [fromSource],
    external: ["vitest"],
    logLevel: "silent",
  });
}

/** Returns the output that an example promises: the comments behind its lines. */
function promised(example: string): readonly string[] {
  return example.split("\n").flatMap((line) =>
    line
      .split(" // ")
      .slice(1)
      .filter((text) => !text.startsWith("or: "))
      .map((text) => text.trim()),
  );
}

test.each((printing ?? []).map(({ title, code }) => [title, code] as const))(
  "the example of %s prints the output in its comments",
  async (title, code) => {
    const file = resolve(root, "node_modules/.cache", `example-${title.replaceAll(/\W+/g, "-")}.mjs`);
    await bundleExample(code, file);
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

    expect(printed).toEqual(promised(code));
  },
);

test("most examples print, so that changed output is noticed", () => {
  expect(printing?.length).toBeGreaterThan(2 * programs.length);
});

test("each of the five systems has an example in Python and one in TypeScript", () => {
  const kinds = SYSTEMS.map((page) =>
    [...readFileSync(resolve(root, page), "utf8").matchAll(/^```(python|ts)$/gm)].map(([, kind]) => kind),
  );

  expect(kinds).toEqual(Array.from({ length: 5 }, () => ["python", "ts"]));
});

/** Programs that print nothing; the README in Chinese has the same as the README. */
const programs = [...new Set((silent ?? []).map(({ code }) => code))];

/** The compiler's messages for all programs, compiled together: most of that time goes into the package's own types. */
let faults: string;
beforeAll(() => (faults = typeFaults(programs)));

test.each(programs.map((code, at) => [at + 1, code] as const))(
  "program %i that prints nothing compiles, and runs when it needs no test runner",
  async (at, code) => {
    const dir = aFolder();
    const file = resolve(root, "node_modules/.cache", `readme-${at}.mjs`);
    onTestFinished(() => rmSync(file, { force: true }));

    await bundleExample(code, file);
    const { status, stderr } = code.includes("llm-tapedeck/vitest")
      ? { status: 0, stderr: "" }
      : spawnSync(process.execPath, [file], { cwd: dir, encoding: "utf8" });

    expect(faults).toBe("");
    expect([status, stderr]).toEqual([0, ""]);
  },
);

/** Returns the compiler's messages for programs that import the package by its name. */
function typeFaults(codes: readonly string[]): string {
  const dir = resolve(root, "node_modules/.cache", "readme-types");
  mkdirSync(dir, { recursive: true });
  for (const [at, code] of codes.entries())
    writeFileSync(resolve(dir, `program-${at + 1}.ts`), `${code}\nexport {};\n`);
  const paths = Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, [`../../../${source}`]]),
  );
  writeFileSync(
    resolve(dir, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.json",
      compilerOptions: { paths, noUnusedLocals: false, noPropertyAccessFromIndexSignature: false },
      include: ["*.ts"],
    }),
  );
  const tsc = resolve(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", dir, "--noEmit"], { encoding: "utf8" });
  rmSync(dir, { recursive: true });
  return stdout;
}
