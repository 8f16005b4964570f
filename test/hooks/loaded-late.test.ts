import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { writeHooks } from "../../scripts/hooks.mjs";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { aHookedProject } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { aFolder } from "../support/a-folder.ts";

// Each test starts several programs, on machines that may be busy.

const GUARD = { hosts: ["api.openai.com"], plain: [], calls: "" };

/** A program under the hooks as they are shipped. `tellsStart`: as in `HookOptions`. */
async function output(file: string, text: string, tellsStart: boolean | string = true): Promise<string> {
  const hooksDir = aFolder();
  writeHooks(hooksDir);
  const { project, server } = await aHookedProject({ [file]: text });
  const env = createHookEnvironment({
    hooksDir,
    url: server.url,
    roots: [project.dir],
    delimiter,
    guard: GUARD,
    tellsStart,
    base: {},
  });
  const command = { command: process.execPath, args: [file], cwd: project.dir };
  return (await run(command, env)).output;
}

test("a program without calls loads no large module of Node, and only the small file of the hooks", async () => {
  const text = `const large = /^NativeModule (?:net|http|https|tls|dns|child_process|worker_threads|crypto|stream|internal.fs.promises)$/;
const hooks = Object.keys(require.cache).filter((file) => file.includes("javascript")).map((file) => require("node:path").basename(file));
require("node:fs").writeFileSync("loaded.json", JSON.stringify(process.moduleLoadList.filter((name) => large.test(name))));
console.log(hooks.sort().join(), require("node:fs").readFileSync("loaded.json", "utf8"));`;

  expect(await output("a.cjs", text)).toBe("start.cjs,tapedeck-preload.cjs []\n");
});

test("a test without calls loads only the small file of the hooks if its run counts tests in a file", async () => {
  const text = `const path = require("node:path");
require("node:test").test("adds", () => {
  const hooks = Object.keys(require.cache).filter((file) => path.basename(path.dirname(file)) === "javascript");
  console.log("loaded:", hooks.map((file) => path.basename(file)).sort().join());
});`;
  const counted = join(aFolder(), "started");

  expect(await output("a.cjs", text, counted)).toContain("loaded: start.cjs,tapedeck-preload.cjs\n");
  expect(readFileSync(counted, "utf8")).toMatch(/^\d+ @tests node$/mu);
});

test.each([
  ["net", "import { connect } from 'node:net';", "connect(443, 'api.openai.com')"],
  ["tls", "import { connect } from 'node:tls';", "connect(443, 'api.openai.com')"],
  ["https", "import { get } from 'node:https';", "get('https://api.openai.com/v1/models')"],
  ["http2", "import { connect } from 'node:http2';", "connect('https://api.openai.com')"],
])(
  "a connection to a provider is redirected when its module is imported: node:%s",
  async (_, imports, call) => {
    const text = `${imports}
${call}.on("error", (error) => console.log(error.message));`;

    expect(await output("a.mjs", text)).toBe("Tapedeck closed the connection.\n");
  },
);

test.each([
  [
    "a program",
    "import { execFileSync } from 'node:child_process';",
    "execFileSync(process.execPath, ['-p', SAYS], { env: {} })",
  ],
  [
    "a thread",
    "import { Worker } from 'node:worker_threads';",
    "await new Promise((resolve) => new Worker(`require('node:worker_threads').parentPort.postMessage(${SAYS})`, { eval: true, env: {} }).once('message', resolve))",
  ],
])("%s with a separate environment has the hooks when its module is imported", async (_, imports, start) => {
  const text = `${imports}
const SAYS = "globalThis[Symbol.for('tapedeck.attribution')] === true";
console.log(String(${start}).trim());`;

  expect(await output("a.mjs", text)).toBe("true\n");
});

test.each([
  ["import { mkdtemp } from 'node:fs/promises';", "a.mjs", "await mkdtemp(PREFIX)"],
  ["import { promises } from 'node:fs';", "a.mjs", "await promises.mkdtemp(PREFIX)"],
  ["", "a.cjs", "require('node:fs').promises.mkdtemp(PREFIX)"],
  ["", "a.cjs", "require('node:fs/promises').mkdtemp(PREFIX)"],
  ["import 'node:stream'; import { randomUUID } from 'node:crypto';", "a.mjs", "randomUUID()"],
  ["", "a.cjs", "crypto.randomUUID()"],
])("values are noted from the first one on: %s %s %s", async (imports, file, make) => {
  const counted = join(aFolder(), "started");
  const text = `${imports}
const PREFIX = ${JSON.stringify(join(aFolder(), "made-"))};
const made = ${make};
Promise.resolve(made).then((value) => console.log(value));`;

  const made = (await output(file, text, counted)).trim();
  expect(made.length).toBeGreaterThan(30);
  expect(readFileSync(counted, "utf8")).toMatch(
    new RegExp(`^\\d+ @values .*${encodeURIComponent(made)}`, "mu"),
  );
});
