import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { casesOf } from "../support/cases.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { tapedeck } from "../cli/tapedeck.ts";
import { aTemporaryProject, packagesOf } from "./support/scene.ts";

/** Asks as a component does: with the page's own fetch, its XMLHttpRequest, and axios, which takes the latter. */
const PAGE = `
import { expect, test } from "vitest";
import axios from "axios";
const url = (process.env.IN_CODE ? "https://api.openai.com/v1" : process.env.OPENAI_BASE_URL) + "/chat/completions";
const headers = { "content-type": "application/json", authorization: "Bearer own" };
const asking = (content, more) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content }], ...more });
const send = (body, withCredentials) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("POST", url);
  request.withCredentials = withCredentials;
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.onload = () => resolve(request);
  request.onerror = () => reject(new Error("blocked"));
  request.send(JSON.stringify(body));
});
test("fetch", async () => {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(asking("by fetch")) });
  expect(JSON.stringify(await response.json())).toContain("by fetch");
});
test("fetch of a stream, with credentials", async () => {
  const body = JSON.stringify(asking("a stream", { stream: true }));
  const response = await fetch(url, { method: "POST", credentials: "include", headers, body });
  expect(await response.text()).toContain("[DONE]");
});
test.each([false, true])("XMLHttpRequest, with credentials: %s", async (withCredentials) => {
  const request = await send(asking("by XMLHttpRequest " + withCredentials), withCredentials);
  expect(request.responseText).toContain("by XMLHttpRequest");
  expect(request.getResponseHeader("x-tapedeck-outcome")).toMatch(/recorded|replayed/);
});
test("axios", async () => {
  const { data } = await axios.post(url, asking("by axios"), { headers });
  expect(JSON.stringify(data)).toContain("by axios");
});
`;

const FOREIGN = `
import { test } from "vitest";
test("asks and goes on", () => fetch(process.env.OPENAI_BASE_URL + "/models", { headers: { "x-mine": "1" } }).catch(() => {}));
`;

const CALLS = 5;
const packages = packagesOf("current", ["vitest", "happy-dom", "jsdom", "axios"]);

const command = (environment: string): readonly string[] => [
  "--",
  process.execPath,
  "node_modules/vitest/vitest.mjs",
  "run",
  "--environment",
  environment,
];

const PAGES = [
  ["happy-dom", "the variable", {}],
  ["jsdom", "its address in code", { IN_CODE: "1" }],
  ["happy-dom", "its address in code", { IN_CODE: "1" }],
  ["jsdom", "the variable", {}],
] as const;

test.each(PAGES.slice(0, casesOf({ quick: 2, long: 4 })))(
  "a page of %s records and replays, by %s",
  async (environment, _, env) => {
    const upstream = await anUpstream();
    const { dir: cwd } = aTemporaryProject({ "package.json": "{}", "a.test.js": PAGE }, packages);
    const run = command(environment);

    const recorded = await tapedeck(["run", "--mode", "record", ...upstream.options, ...run], { cwd, env });
    const replayed = await tapedeck(["run", ...run], { cwd, env });

    expect(recorded.code).toBe(0);
    expect(recorded.stderr).toContain(`${CALLS} recorded · 0 missing · ${CALLS} sent`);
    expect(upstream.requests).toEqual(Array.from({ length: CALLS }, () => "POST /v1/chat/completions"));
    expect(replayed.code).toBe(0);
    expect(replayed.stderr).toContain(`${CALLS} replayed · 0 missing · 0 sent`);
  },
);

test.each([
  ["happy-dom", "environmentOptions: { happyDOM: { url: 'http://app.example/' } }"],
  ["jsdom", "environmentOptions: { jsdom: { url: 'http://app.example/' } }"],
])("a refused page of %s is named in the report and fails a strict run", async (environment, options) => {
  // jsdom leaves Node's fetch, which sends no Origin: there its XMLHttpRequest asks.
  const asking = environment === "jsdom" ? FOREIGN.replace("fetch(", "byRequest(") : FOREIGN;
  const byRequest =
    'const byRequest = (url) => new Promise((done) => { const r = new XMLHttpRequest(); r.open("GET", url); r.onload = r.onerror = done; r.send(); });';
  const { dir: cwd } = aTemporaryProject(
    {
      "package.json": "{}",
      "vitest.config.mjs": `export default { test: { ${options} } };`,
      "a.test.js": `${asking}${byRequest}`,
    },
    packages,
  );

  const { code, stderr } = await tapedeck(["run", ...command(environment)], { cwd });

  expect(code).toBe(3);
  expect(stderr).toContain("1 refused");
  expect(stderr).toContain("it comes from the page http://app.example.");
  expect(stderr).not.toContain("No call reached Tapedeck");
});

const IN_BROWSER = `
import { createServer } from "node:http";
import { join } from "node:path";
const { launchBrowser } = await import(process.argv[2]);
const browser = await launchBrowser();
const server = createServer((_, response) => response.end()).listen(0, async () => {
  const page = await browser.newPage();
  await page.goto("http://localhost:" + server.address().port);
  await page.evaluate(async (filepath) => {
    const suite = { name: "suite", suite: { filepath } };
    globalThis.__vitest_worker__ = { current: { name: "asks", suite, file: { filepath } } };
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "from a page" }] });
    const headers = { "content-type": "application/json", authorization: "Bearer own" };
    await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", headers, body });
  }, join(process.cwd(), "page.test.js"));
  await browser.close();
  server.close();
});
`;

test("a page of vitest's browser mode is answered, and its call belongs to its test", async () => {
  const project = aTemporaryProject({ "package.json": "{}", "ask.mjs": IN_BROWSER }, {});
  const opener = pathToFileURL(`${rootDir}/scripts/host/browser.mjs`).href;

  const { stderr } = await tapedeck(["run", "--", process.execPath, "ask.mjs", opener], {
    cwd: project.dir,
    env: { VITEST: "true" },
  });

  expect(stderr).toContain('✘ page.test.js  suite › asks\n    No recording for this m call ("from a page")');
});
