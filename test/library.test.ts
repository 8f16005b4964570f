import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { casesOf } from "./support/cases.ts";
import { aPackedPackage, entryPoints } from "./support/packed-package.ts";

const root = resolve(import.meta.dirname, "..");
let packed: ReturnType<typeof aPackedPackage>;
let home: string;

/** The package where a user's module finds it. */
beforeAll(() => {
  packed = aPackedPackage();
  home = dirname(packed.dir);
  mkdirSync(join(home, "node_modules"));
  renameSync(packed.dir, join(home, "node_modules", "llm-tapedeck"));
});
afterAll(() => packed.remove());

const installed = (): string => join(home, "node_modules", "llm-tapedeck");
const manifest = (): {
  scripts: object;
  exports: Readonly<Record<string, unknown>>;
  preferUnplugged: boolean;
} => JSON.parse(readFileSync(join(installed(), "package.json"), "utf8")) as never;

test("declarations match the module that each way of importing loads, except vitest, which has one way", async () => {
  const { stdout } = spawnSync("tar", ["-czf", "-", "-C", join(home, "node_modules"), "llm-tapedeck"], {
    maxBuffer: 2 ** 28,
  });

  const entrypoints = casesOf({ quick: [".", "./client", "./client/kosong", "./jest"], long: undefined });

  const checked = await checkPackage(
    createPackageFromTarballData(new Uint8Array(stdout)),
    entrypoints && { entrypoints },
  );

  const problems = checked.types === false ? ["there are no types"] : checked.problems;
  const ours = problems.map((problem) => JSON.stringify(problem));
  expect(ours.filter((shown) => !shown.includes("./vitest"))).toEqual([]);
  expect(checked.types).not.toBe(false);
});

test("require() gives every entry point but vitest's, also when Node cannot require modules", () => {
  const old = process.allowedNodeEnvironmentFlags.has("--experimental-require-module");
  const names = entryPoints(installed()).filter((name) => !name.endsWith("/vitest"));
  const script = `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(require(name)).length > 0);
    const { fixedClient, textOf, user } = require("llm-tapedeck/client");
    fixedClient("Rome").complete({ messages: [user("?")] }).then(({ message }) => console.log(textOf(message)));`;

  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...(old ? ["--no-experimental-require-module"] : []), "-e", script],
    { cwd: home, encoding: "utf8", env: { ...process.env, NODE_PATH: join(root, "node_modules") } },
  );

  const given = stdout.trim().split("\n");
  expect(stderr).toBe("");
  expect(given).toEqual([...names.map((name) => `${name} true`), "Rome"]);
});

test("a package that is missing is named, with how to install it", () => {
  const script = `import { loadEncoding } from "llm-tapedeck/client/openmanus";
    import { OpenAIChatModel } from "llm-tapedeck/client/agentscope";
    const tell = ({ kind, message, hint }) => console.log([kind, message, hint].join("; "));
    await loadEncoding("cl100k_base").catch(tell);
    await new OpenAIChatModel({ modelName: "m", apiKey: "k" }).call([{ role: "user", content: "?" }]).catch(tell);`;

  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: home,
    encoding: "utf8",
  });

  expect(stdout.trim().split("\n")).toEqual([
    "validation; gpt-tokenizer: the package is not installed; Install it: npm install gpt-tokenizer",
    "validation; openai: the package is not installed; Install it: npm install openai",
  ]);
});

async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: home },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    write: false,
    external: ["openai", "@anthropic-ai/sdk", "@google/genai", "ollama", "@opentelemetry/api"],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

describe("in a browser's bundle", () => {
  test("three names are small, and work without Node", async () => {
    const said: unknown[] = [];
    const code = await bundled(`import { fixedClient, textOf, user } from "llm-tapedeck/client";
      done(fixedClient("Rome").complete({ messages: [user("?")] }).then(({ message }) => textOf(message)));`);

    const web = {
      TextEncoder,
      TextDecoder,
      AbortController,
      AbortSignal,
      crypto,
      setTimeout,
      structuredClone,
      URL,
    };
    runInContext(code, createContext({ ...web, done: (value: unknown) => said.push(value) }));

    console.log(`▸ three names of the client core: ${code.length} bytes`);
    expect(await said[0]).toBe("Rome");
    expect(code.length).toBeLessThan(52_000);
  });

  test("no entry point that is for browsers asks for a module of Node", async () => {
    const names = entryPoints(installed()).filter((name) => /\/client(?!\/openmanus)/.test(name));

    const codes = await Promise.all(
      names.map((name) => bundled(`import * as all from ${JSON.stringify(name)}; console.log(all);`)),
    );

    expect(names).toEqual(expect.arrayContaining(["llm-tapedeck/client", "llm-tapedeck/client/kosong"]));
    expect(codes.filter((code) => /["']node:|\bprocess\.env\b/.test(code))).toEqual([]);
  });
});

test("the package has at most 300 files", () => {
  const files = readdirSync(installed(), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );

  expect(files.length).toBeGreaterThan(100);
  expect(files.length).toBeLessThanOrEqual(300);
});

test("what is packed is built before, also in a clone that never was", () => {
  expect(manifest().scripts).toHaveProperty("prepack", "npm run build");
});

test("Yarn's Plug'n'Play unpacks the package: Python and other Nodes cannot read hooks in an archive", () => {
  expect(manifest().preferUnplugged).toBe(true);
});

test("nothing is built when the package is installed", () => {
  expect(Object.keys(manifest().scripts)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:pre|post)?(?:install|prepare)/)]),
  );
});
