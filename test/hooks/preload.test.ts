import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { aHookedProject, hooksDir, hooksFor } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { aStandIn } from "../fixtures/runners/stand-in.ts";

// Each test starts several programs, on machines that may be busy.

/** A project whose programs are run by this Node with the hooks in it. */
async function aNodeProject(files: Readonly<Record<string, string>>) {
  const { project, server } = await aHookedProject(files);
  const hooks = hooksFor(project, server.url);
  const node = (file: string, change: Readonly<Record<string, string>> = {}): ReturnType<typeof run> =>
    run({ command: process.execPath, args: [file], cwd: project.dir }, { ...hooks, ...change });
  return { project, server, hooks, node };
}

const TOUCHED = `const methods = [require("node:async_hooks").AsyncLocalStorage.prototype.run, require("node:http").Agent.prototype.addRequest];
const wrapped = methods.filter((method) => /return original.call/.test(method));
console.log(wrapped.length, globalThis[Symbol.for("tapedeck.attribution")] === true, fetch.name);
`;

test.each([
  ["without an address nothing is touched", { TAPEDECK_URL: "" }, "0 false fetch\n"],
  ["with one, fetch is still the runtime's own", {}, "2 true fetch\n"],
])("%s", async (_, change, expected) => {
  const { node } = await aNodeProject({ "a.cjs": TOUCHED });

  expect((await node("a.cjs", change)).output).toBe(expected);
});

test("every Node can parse the first loaded file: nothing in it is newer than ES2015", async () => {
  const source = readFileSync(join(hooksDir, "javascript/tapedeck-preload.cjs"), "utf8");
  const printedFor = async (target: string, text: string): Promise<string> =>
    (await transform(text, { target, loader: "js" })).code;

  expect(await printedFor("es2015", source)).toBe(await printedFor("esnext", source));
  expect(await printedFor("es2015", "try {} catch {}")).not.toBe("try {\n} catch {\n}\n");
});

const OLD_NODE = 'Object.defineProperty(process.versions, "node", { value: "16.20.2" });';

test("in a Node older than 18 nothing is touched, nor is any other file loaded", async () => {
  const { project, server, hooks, node } = await aNodeProject({
    "old.cjs": OLD_NODE,
    "a.cjs": `${TOUCHED}console.log(Object.keys(require.cache).filter((name) => name.includes("hooks")).map((name) => require("node:path").basename(name)).join());`,
  });

  const { output } = await node("a.cjs", {
    NODE_OPTIONS: `--require="${project.path("old.cjs")}" ${hooks["NODE_OPTIONS"]}`,
  });

  expect(output).toBe("0 false fetch\ntapedeck-preload.cjs\n");
  expect(server.runners).toEqual([]);
});

test("an invalid address leaves the program unchanged", async () => {
  const { node } = await aNodeProject({ "a.cjs": 'console.log("ran")' });

  expect(await node("a.cjs", { TAPEDECK_URL: "nonsense", VITEST: "true" })).toEqual({
    code: 0,
    output: "ran\n",
  });
});

test("only the replay server's requests carry the header, and one that is there already stays", async () => {
  const other = await aStandIn(() => []);
  const { server, node } = await aNodeProject({
    "a.test.mjs": `const [ours, other] = [process.env.TAPEDECK_URL, ${JSON.stringify(other.url)}];
await fetch(ours); await fetch(other); await fetch(ours, { headers: { "x-tapedeck-test": "mine" } });`,
  });

  await node("a.test.mjs");
  await other.close();

  expect(other.calls.map((call) => call.header)).toEqual([undefined]);
  expect(server.calls.map((call) => call.test?.file)).toEqual(["a.test.mjs", undefined]);
  expect(server.calls[1]?.header).toBe("mine");
});

test("long titles are cut, and the header stays within the limit", async () => {
  const title = "\u6f22".repeat(400);
  const { server, node } = await aNodeProject({
    "a.test.mjs": `import { describe, it } from "node:test";
describe("${title}", () => describe("${title}", () => it("${title}", () => fetch(process.env.TAPEDECK_URL))));`,
  });

  await node("a.test.mjs");

  expect(server.calls[0]?.header?.length).toBeLessThanOrEqual(3072);
  expect(server.calls[0]?.test?.name).toEqual(Array.from({ length: 3 }, () => "\u6f22".repeat(60)));
});

test("calls of hooks around each test are attributed to that test", async () => {
  const { server, node } = await aNodeProject({
    "a.test.mjs": `import { afterEach, beforeEach, describe, it } from "node:test";
const ask = (path) => fetch(process.env.TAPEDECK_URL + path);
beforeEach(() => ask("/before"));
afterEach(() => ask("/after"));
it("a > b", () => {});
describe("suite", () => describe("inner > most", () => it("c", () => {})));`,
  });

  await node("a.test.mjs");

  expect(server.calls.map((call) => call.test?.name)).toEqual([
    ["a > b"],
    ["a > b"],
    ["suite", "inner > most", "c"],
    ["suite", "inner > most", "c"],
  ]);
});

test("calls of a server that a hook started are attributed to the test that calls it", async () => {
  const { server, node } = await aNodeProject({
    "a.test.mjs": `import { after, before, describe, it } from "node:test";
import http from "node:http";
describe("app", () => {
  let app;
  before(async () => {
    app = http.createServer((q, r) => fetch(process.env.TAPEDECK_URL + q.url).then(() => r.end()));
    await new Promise((done) => app.listen(0, done));
  });
  after(() => { app.close(); app.closeAllConnections(); });
  it("first", () => fetch("http://127.0.0.1:" + app.address().port + "/1"));
  it("second", () => fetch("http://127.0.0.1:" + app.address().port + "/2"));
});`,
  });

  await node("a.test.mjs");

  expect(server.calls.map((call) => call.test?.name)).toEqual([
    ["app", "first"],
    ["app", "second"],
  ]);
});
