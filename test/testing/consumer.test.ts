import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aFolder } from "../support/a-folder.ts";
import { aPackedPackage, entryPoints } from "../support/packed-package.ts";

const root = resolve(import.meta.dirname, "../..");

let packed: ReturnType<typeof aPackedPackage>;
beforeAll(() => (packed = aPackedPackage()));
afterAll(() => packed.remove());

/** A use of each kind of entry point, with a mistake that the types have to see. */
const USES = `
import { openDeck, type Mode } from "llm-tapedeck";
import { scriptedClient, textOf, user, type ChatClient } from "llm-tapedeck/client";
import { createSession } from "llm-tapedeck/client/metagpt";
import { test as withVitest } from "llm-tapedeck/vitest";
import { test as withNode } from "llm-tapedeck/node-test";
import { test as withJest, type Tape } from "llm-tapedeck/jest";

const mode: Mode = "strict";
const client: ChatClient = scriptedClient(["Rome."]);
export const deck = openDeck({ dir: ".tapedeck" }).createRun(mode);
export const asked: Promise<string> = client.complete({ messages: [user("?")] }).then(({ message }) => textOf(message));
export const session: ReturnType<typeof createSession> | undefined = undefined;
withVitest("a", async ({ tapedeck }) => void tapedeck.fetch);
withNode("b", ({ tapedeck, t }) => t.diagnostic(tapedeck.mode));
withJest("c", ({ tapedeck }: { tapedeck: Tape }) => tapedeck.misses.join());
// @ts-expect-error -- no such mode
openDeck({ dir: ".tapedeck" }).createRun("rekord");
// @ts-expect-error -- a request has messages
void client.complete({});
`;

test.each([
  ["bundler", { module: "esnext", moduleResolution: "bundler" }],
  ["node16", { module: "node16", moduleResolution: "node16" }],
])(
  "a project of TypeScript with moduleResolution %s compiles against the package, and its mistakes do not",
  (_, options) => {
    const all = entryPoints(packed.dir).map((name, at) => `import * as e${at} from "${name}";`);
    const names = all.map((_line, at) => `e${at}`).join(", ");
    const files = { "uses.ts": USES, "all.ts": `${all.join("\n")}\nexport const all = [${names}];\n` };

    const { status, output } = compile(files, options);

    expect(output).toBe("");
    expect(status).toBe(0);
    expect(all).toHaveLength(10);
  },
  120_000,
);

test("only the declarations of vitest's fixture need vitest, which other projects do not have", () => {
  const types = join(packed.dir, "dist", "types");
  const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );

  const needing = files.filter((name) => readFileSync(join(types, name), "utf8").includes('from "vitest"'));

  expect(needing).toEqual([join("testing", "vitest.d.ts")]);
});

test("a CommonJS test file has the types of jest's helper by require", () => {
  const uses = `import tape = require("llm-tapedeck/jest");
tape.test("c", async ({ tapedeck }) => void tapedeck.fetch);
export const options: tape.TapeOptions = { mode: "strict" };
// @ts-expect-error -- no such mode
export const wrong: tape.TapeOptions = { mode: "rekord" };
`;

  const { output } = compile({ "uses.cts": uses }, { module: "node16", moduleResolution: "node16" });

  expect(output).toBe("");
});

test("every entry point loads by import, and jest's by require as well", () => {
  const dir = aProject({});
  const imports = entryPoints(packed.dir).filter((name) => !name.endsWith("/vitest"));
  const script = `
    for (const name of ${JSON.stringify(imports)}) if (Object.keys(await import(name)).length === 0) console.log(name);
    const { createRequire } = await import("node:module");
    console.log(Object.keys(createRequire(import.meta.url)("llm-tapedeck/jest")).toSorted().join(" "));`;

  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: dir,
    encoding: "utf8",
  });

  expect(stderr).toBe("");
  expect(stdout).toBe("tapedeckTest test\n");
});

function aProject(files: Readonly<Record<string, string>>): string {
  const dir = aFolder();
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  link(packed.dir, join(dir, "node_modules", "llm-tapedeck"));
  const peers = ["openai", "@anthropic-ai/sdk", "@google/genai", "gpt-tokenizer"];
  for (const name of [...peers, "ollama", "smol-toml", "zod", "vitest", "@types/node"])
    for (const place of [dir, dirname(packed.dir)])
      link(join(root, "node_modules", name), join(place, "node_modules", name));
  return dir;
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    symlinkSync(target, path, "junction");
  } catch {
    // The previous test left it beside the package.
  }
}

function compile(files: Readonly<Record<string, string>>, options: Readonly<Record<string, string>>) {
  const dir = aProject(files);
  const compilerOptions = { ...options, target: "es2024", strict: true, noEmit: true, types: ["node"] };
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, skipLibCheck: false },
      files: Object.keys(files),
    }),
  );
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", dir], { cwd: dir, encoding: "utf8" });
  // Faults in the SDKs' own declarations are not ours.
  const ours = stdout.split("\n").filter((line) => /^(?:\S*llm-tapedeck|uses|all)[^(]*\(|^error/.test(line));
  return { status: ours.length === 0 ? 0 : status, output: ours.join("\n") };
}
