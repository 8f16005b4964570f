import { createSocket } from "node:dgram";
import { once } from "node:events";
import { delimiter } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeHooks } from "../../scripts/hooks.mjs";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { aHookedProject } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { aFolder } from "../support/a-folder.ts";

// Each test starts several programs, on machines that may be busy.

const GUARD = { hosts: ["api.openai.com"], plain: [], calls: "" };

/** A program under the hooks as they are shipped. */
async function output(file: string, text: string): Promise<string> {
  const hooksDir = aFolder();
  writeHooks(hooksDir);
  const { project, server } = await aHookedProject({ [file]: text });
  const env = createHookEnvironment({
    hooksDir,
    url: server.url,
    roots: [project.dir],
    delimiter,
    guard: GUARD,
    tellsStart: true,
    base: {},
  });
  const command = { command: process.execPath, args: [file], cwd: project.dir };
  return (await run(command, env)).output;
}

test("a program without calls loads no module of Node for the network but dns, and only the small file of the hooks", async () => {
  const text = `const network = /^NativeModule (?:net|http|https|tls|dns|child_process|worker_threads|crypto)$/;
const hooks = Object.keys(require.cache).filter((file) => file.includes("javascript")).map((file) => require("node:path").basename(file));
require("node:fs").writeFileSync("loaded.json", JSON.stringify(process.moduleLoadList.filter((name) => network.test(name))));
console.log(hooks.sort().join(), require("node:fs").readFileSync("loaded.json", "utf8"));`;

  expect(await output("a.cjs", text)).toBe('start.cjs,tapedeck-preload.cjs ["NativeModule dns"]\n');
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

/** Serves names on this machine: all have this address. Returns the port. */
async function serveNames(address: string): Promise<number> {
  const server = createSocket("udp4");
  onTestFinished(() => void server.close());
  server.on("message", (query, { port }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const counts = [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
    const answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)];
    server.send(Buffer.from([...query.subarray(0, 2), ...counts, ...question, ...answer]), port, "127.0.0.1");
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

test("a connection to an address that an ES module looked up for a provider's name is redirected", async () => {
  const port = await serveNames("192.0.2.1");
  const text = `import { Resolver } from "node:dns/promises";
const resolver = new Resolver();
resolver.setServers(["127.0.0.1:${port}"]);
const [host] = await resolver.resolve4("api.openai.com");
const { get } = await import("node:https");
get({ host, path: "/v1/models" }).on("error", (error) => console.log(host, error.message));`;

  expect(await output("a.mjs", text)).toBe("192.0.2.1 Tapedeck closed the connection.\n");
});

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
