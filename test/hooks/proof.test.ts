import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { request } from "node:http";
import { delimiter } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { casesOf } from "../support/cases.ts";
import { aServer } from "../support/a-server.ts";
import { hooksDir } from "../fixtures/runners/hooked.ts";
import { aProject, run } from "../fixtures/runners/project.ts";
import { aStandIn } from "../fixtures/runners/stand-in.ts";

// Each test starts several programs, on machines that may be busy.

const has = (name: string): boolean =>
  spawnSync("python3", ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;

const BODY = JSON.stringify({ messages: [{ role: "user", content: "Say hi" }] });
const CALL = `method: "POST", headers: { authorization: "Bearer sk-own" }`;
const PYTHON = `import os
url, body, headers = os.environ["TAPEDECK_URL"] + "/openai/v1/x", b"{}", {"authorization": "Bearer sk-own"}
`;

/** Each calls twice, and prints what it was answered, or why it was not. */
const CLIENTS: readonly (readonly [string, needs: string | undefined, file: string, text: string])[] = [
  [
    "fetch",
    undefined,
    "ask.mjs",
    `for (const _ of [1, 2]) await fetch(process.env.TAPEDECK_URL + "/openai/v1/x", { ${CALL}, body: ${JSON.stringify(BODY)} })
  .then((reply) => console.log(reply.status), (error) => console.log(String(error.cause)));`,
  ],
  [
    "http.request",
    undefined,
    "ask.mjs",
    `import { request } from "node:http";
for (const _ of [1, 2]) await new Promise((done) => request(process.env.TAPEDECK_URL + "/openai/v1/x", { ${CALL} })
  .on("response", (reply) => done(console.log(reply.resume().statusCode)))
  .on("error", (error) => done(console.log(String(error)))).end(${JSON.stringify(BODY)}));`,
  ],
  [
    "urllib",
    "urllib",
    "ask.py",
    `${PYTHON}import urllib.request
for _ in range(2):
    try: print(urllib.request.urlopen(urllib.request.Request(url, body, headers)).status)
    except OSError as error: print(error)
`,
  ],
  [
    "aiohttp",
    "aiohttp",
    "ask.py",
    `${PYTHON}import aiohttp, asyncio
async def ask():
    async with aiohttp.ClientSession() as session:
        for _ in range(2):
            try:
                async with session.post(url, data=body, headers=headers) as reply: print(reply.status)
            except aiohttp.ClientConnectionError as error: print(error)
asyncio.run(ask())
`,
  ],
];

/** Runs a client whose variables name this address. */
function called(url: string, file: string, text: string) {
  const project = aProject({ [file]: text });
  onTestFinished(() => project.remove());
  const env = createHookEnvironment({ hooksDir, url, roots: [project.dir], delimiter, base: {} });
  const command = file.endsWith(".py") ? "python3" : process.execPath;
  return run({ command, args: [file], cwd: project.dir }, env);
}

/** Another program that has the port now: it answers everything, and keeps what came. */
async function aStranger(answer = "") {
  const came: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      came.push(bytes.toString());
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, came };
}

/** One client of each language, unless there is time for all. */
const TRIED = casesOf({
  quick: CLIENTS.filter(([name]) => name === "fetch" || name === "urllib"),
  long: CLIENTS,
});

describe.each(TRIED)("%s", (_, needs, file, text) => {
  const isMissing = needs !== undefined && !has(needs);

  it("is answered by the server that its variables are of", async ({ skip }) => {
    skip(isMissing, `pip install ${needs}`);
    const server = await aStandIn(() => []);
    onTestFinished(() => server.close());

    const { output } = await called(server.url, file, text);

    expect(output.trimEnd().split(/\r?\n/)).toEqual(["200", "200"]);
    expect(server.calls).toHaveLength(2);
  });

  it("sends neither key nor token to another program on the port, and reports it once", async ({ skip }) => {
    skip(isMissing, `pip install ${needs}`);
    const stranger = await aStranger("0".repeat(64));

    const { output } = await called(stranger.url, file, text);

    expect(stranger.came.length).toBeGreaterThan(0);
    expect(stranger.came.join("\n")).not.toMatch(/sk-own|\/token|Say hi/);
    expect(output.match(/^Tapedeck: What answers at .* is not the Tapedeck that/gm)).toHaveLength(1);
    expect(output.match(/is not the Tapedeck that/g)?.length).toBe(3);
  });

  it("reports why nothing answers when the window was closed", async ({ skip }) => {
    skip(isMissing, `pip install ${needs}`);
    const server = await aStandIn(() => []);
    await server.close();

    const { output } = await called(server.url, file, text);

    expect(output.match(/^Tapedeck: Nothing answers at .* was closed/gm)).toHaveLength(1);
  });
});

it("an answer that was fetched from the true server at another port proves nothing", async () => {
  const server = await aStandIn(() => []);
  onTestFinished(() => server.close());
  const between: string[] = [];
  const origin = await aServer((asked, reply) => {
    between.push(`${asked.method} ${asked.url}`);
    request(new URL(asked.url ?? "", server.url), (answered) => answered.pipe(reply)).end();
  });

  const [, , file, text] = CLIENTS[0] ?? ["", "", "", ""];
  const { output } = await called(`${origin}/token`, file, text);

  expect(output).toContain("is not the Tapedeck that");
  expect(between.filter((line) => !line.startsWith("GET /@proof/"))).toEqual([]);
});

it("a connection that a client gives up while the server is asked is not opened after all", async () => {
  const server = await aStandIn(() => []);
  onTestFinished(() => server.close());

  const { output } = await called(
    server.url,
    "ask.cjs",
    `const { port } = new URL(process.env.TAPEDECK_URL);
const socket = require("node:net").connect(Number(port), "127.0.0.1", () => console.log("connected"));
socket.destroy();
fetch(process.env.TAPEDECK_URL + "/openai/v1/x").then((reply) => console.log(reply.status, socket.destroyed));`,
  );

  expect(output).toBe("200 true\n");
});

it.for([
  ["node", process.execPath, ["-e", "0"]] as const,
  ["python3", "python3", ["-c", "import socket"]] as const,
])(
  "a process without calls is not delayed by a server that is too busy to greet it: %s",
  async ([, command, args], { skip }) => {
    skip(command === "python3" && !has("socket"), "install Python 3");
    const server = createTcpServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const guard = { hosts: ["api.openai.com"], plain: [], calls: "" };
    const env = createHookEnvironment({
      hooksDir,
      url,
      roots: [],
      delimiter,
      guard,
      tellsStart: true,
      base: {},
    });

    // This process is the server's, and does nothing else meanwhile.
    const { stderr, status } = spawnSync(command, args, {
      env: { PATH: process.env["PATH"], ...env },
      encoding: "utf8",
    });

    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  },
);
