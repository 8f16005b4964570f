import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

const { libraryOf } = createRequire(import.meta.url)(join(rootDir, "src/hooks/javascript/mocks.cjs")) as {
  readonly libraryOf: (folder: string) => string | undefined;
};

const HELPERS = { "node_modules/@own/helpers/package.json": '{"dependencies": {"msw": "2"}}' };

it.each([
  ["its own", { "packages/a/package.json": '{"devDependencies": {"nock": "14"}}' }, "nock"],
  [
    "that of a package of its workspace",
    { ...HELPERS, "packages/a/package.json": '{"devDependencies": {"@own/helpers": "workspace:*"}}' },
    "msw",
  ],
  [
    "one that replaces fetch",
    { "packages/a/package.json": '{"devDependencies": {"vitest-fetch-mock": "0.4"}}' },
    "vitest-fetch-mock",
  ],
  ["undici in tests", { "packages/a/package.json": '{"devDependencies": {"undici": "7"}}' }, "undici"],
  [
    "undici where the program calls by it",
    { "packages/a/package.json": '{"dependencies": {"undici": "7"}}' },
    "undici",
  ],
  [
    "none of a package from elsewhere",
    { ...HELPERS, "packages/a/package.json": '{"devDependencies": {"@own/helpers": "^2.0.0"}}' },
    undefined,
  ],
  [
    "none of another project",
    { "package.json": '{"dependencies": {"msw": "2"}}', "packages/a/package.json": "{}" },
    undefined,
  ],
  [
    "that of a workspace around it",
    {
      "package.json": '{"workspaces": ["packages/*"], "devDependencies": {"nock": "14"}}',
      "packages/a/package.json": "{}",
    },
    "nock",
  ],
  [
    "that of a workspace of pnpm",
    {
      "package.json": '{"devDependencies": {"msw": "2"}}',
      "pnpm-workspace.yaml": "packages: [packages/*]",
      "packages/a/package.json": "{}",
    },
    "msw",
  ],
  ["none where a file is broken", { "packages/a/package.json": '{"dependencies": 1}' }, undefined],
] as const)("the library by which a project mocks is %s", (_, files, library) => {
  expect(libraryOf(join(aProject(files), "packages/a/src"))).toBe(library);
});

it("a project with undici keeps our keys, because its program may call by it", async () => {
  const cwd = aProject({ "package.json": '{"dependencies": {"undici": "7"}}' });
  const print =
    "[process.env.OPENAI_API_KEY, process.env.OPENAI_BASE_URL].map((value) => value !== undefined).join()";

  const { stdout } = await tapedeck(["run", "--", process.execPath, "-p", print], { cwd });

  expect(stdout).toBe("true,false\n");
});

it("tests of a project that mocks by address have none of our keys, except when recording", async () => {
  const cwd = aProject({
    "package.json": '{"devDependencies": {"nock": "14"}}',
    ".tapedeck/calls/anthropic/.keep": "",
  });
  const print =
    "[process.env.OPENAI_API_KEY, process.env.ANTHROPIC_API_KEY].map((key) => key !== undefined).join()";

  const { stdout } = await tapedeck(["run", "--", process.execPath, "-p", print], { cwd });

  expect(stdout).toBe("false,true\n");
});

describe.each([
  ["in Node", [process.execPath, "-p", "String(process.env.AZURE_OPENAI_ENDPOINT)"]],
  [NEEDS_PYTHON, ["python3", "say.py"]],
])("in a project that mocks by address (%s), the address of an Azure resource", (where, command) => {
  it.skipIf(where === NEEDS_PYTHON && !hasPython).each([
    ["stays where the user has none, and what is recorded needs it", {}, "azure", /^http:\/\/127\.0\.0\.1/],
    [
      "is the user's own",
      { AZURE_OPENAI_ENDPOINT: "https://own.example" },
      "azure",
      /^https:\/\/own\.example\n$/,
    ],
    ["is taken back where nothing of it is recorded", {}, "openai", /^undefined\n$/],
  ])("%s", async (_, env, recorded, address) => {
    const cwd = aProject({
      "package.json": '{"devDependencies": {"nock": "14"}}',
      "respx.py": "",
      "say.py": "import os, respx; print(os.environ.get('AZURE_OPENAI_ENDPOINT', 'undefined'))",
      [`.tapedeck/calls/${recorded}/.keep`]: "",
    });

    const { stdout } = await tapedeck(["run", "--", ...command], { cwd, env });

    expect(stdout).toMatch(address);
  });
});

/**
 * Replaces sockets as `@mswjs/interceptors` 0.45 does: the socket of a client never connects, and what is written to it is
 * answered, or sent over another socket.
 */
const REPLACES_SOCKETS = `
import net from "node:net";
const { connect } = net.Socket.prototype;
const REPLY = "HTTP/1.1 200 OK\\r\\ncontent-length: 12\\r\\n\\r\\nfrom a mock\\n";
const lookup = (_host, { all }, done) => done(null, all ? [{ address: "127.0.0.1", family: 4 }] : "127.0.0.1", 4);
net.Socket.prototype.connect = function (...args) {
  if (Object.hasOwn(this, "_writeGeneric")) return connect.apply(this, args);
  const options = [args].flat(2).find((one) => typeof one === "object");
  let [said, other] = ["", undefined];
  const dial = () => connect.call(new net.Socket().on("data", (piece) => this.push(piece)), options);
  this._read = () => {};
  this._writeGeneric = (isList, data, encoding, done) => {
    for (const { chunk } of isList ? data : [{ chunk: data }]) said += chunk;
    if (said.endsWith("}]}")) {
      if (said.includes("mocked")) this.push(REPLY);
      else (other ??= dial()).write(said);
      said = "";
    }
    done();
  };
  this.once("connectionAttempt", () => {
    this._handle.connect = () => 0;
    setImmediate(() => {
      this.connecting = false;
      this.emit("connect");
    });
  });
  return connect.call(this, { ...options, lookup });
};
`;

const ASK = `
import "./mock.mjs";
import https from "node:https";
import { text } from "node:stream/consumers";
const URL_IN_CODE = "https://api.openai.com/v1/chat/completions";
const headers = { "content-type": "application/json", authorization: "Bearer sk-own" };
const bodyOf = (content) => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
const clients = {
  fetch: async (content) => text((await fetch(URL_IN_CODE, { method: "POST", headers, body: bodyOf(content) })).body),
  https: (content) =>
    new Promise((done, fail) => {
      const request = https.request(URL_IN_CODE, { method: "POST", headers }, (reply) => text(reply).then(done, fail));
      request.on("error", fail).end(bodyOf(content));
    }),
};
for (const [name, ask] of Object.entries(clients))
  for (const content of process.argv.slice(2)) console.log(name, /Answer . to real|from a mock/.exec(await ask(content))?.[0]);
process.exit();
`;

it("a library that replaces sockets answers its mocks in every mode, and the guard the other calls", async () => {
  const upstream = await anUpstream();
  const cwd = aProject({
    "package.json": '{"devDependencies": {"nock": "15"}}',
    "mock.mjs": REPLACES_SOCKETS,
    "ask.mjs": ASK,
  });
  const ask = (options: readonly string[], ...contents: string[]) =>
    tapedeck(["run", ...options, "--", process.execPath, "ask.mjs", ...contents], { cwd });

  const recorded = await ask(["--mode", "record", ...upstream.options], "mocked", "real", "mocked");
  const strict = await ask([], "mocked", "real");
  const onlyMocked = await ask([], "mocked");

  expect(recorded.stdout.split("\n")).toEqual([
    "fetch from a mock",
    "fetch Answer 1 to real",
    "fetch from a mock",
    "https from a mock",
    "https Answer 2 to real",
    "https from a mock",
    "",
  ]);
  expect(upstream.words).toEqual(["real", "real"]);
  expect(recorded.stderr).toContain("2 recorded · 0 missing · 2 sent");
  expect(strict.stderr).toContain("2 replayed · 0 missing · 0 sent");
  expect(onlyMocked.stderr).toContain("nock may have answered the calls of the tests.");
});
