import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { aServer } from "../support/a-server.ts";

const CLIENT = `
const call = async (method, params, session) => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...(session && { "mcp-session-id": session }) };
  const reply = await fetch("https://mcp.example.com/mcp", { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  console.log(reply.status, await reply.text());
  return reply.headers.get("mcp-session-id");
};
const session = await call("initialize", { protocolVersion: "2025-06-18" });
await call("tools/call", { name: "search", arguments: { query: "cats" } }, session);
`;

test("calls to a host that the project records, such as an MCP server, are recorded and replayed", async () => {
  const sessions: unknown[] = [];
  const origin = await aServer((request, response) => {
    sessions.push(request.headers["mcp-session-id"]);
    response.writeHead(200, {
      "content-type": "application/json",
      "mcp-session-id": "2b7e1516-28ae-4d2a-a6ab-f7158809cf4f",
    });
    response.end('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
  });
  const cwd = aProject({
    "ask.mjs": CLIENT,
    "tapedeck.jsonc": '{ "record": { "hosts": ["mcp.example.com"] } }',
  });
  const command = ["--", process.execPath, "ask.mjs"];

  const recorded = await tapedeck(
    ["run", "--mode", "record", "--upstream", `mcp.example.com=${origin}`, ...command],
    { cwd },
  );
  const replayed = await tapedeck(["run", ...command], { cwd });

  expect(recorded.stderr).toContain("2 recorded");
  expect(replayed.stderr).toContain("2 replayed · 0 missing · 0 sent");
  expect(replayed.stdout).toBe(recorded.stdout);
  expect(sessions).toEqual([undefined, "2b7e1516-28ae-4d2a-a6ab-f7158809cf4f"]);
});

const NUMBERED = `
let id = 0;
const call = async (name) => {
  const params = { name, _meta: { progressToken: (id += 1) } };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
  const headers = { "content-type": "application/json", "mcp-session-id": "a-session-0123456789" };
  const reply = await fetch("https://mcp.example.com/mcp", { method: "POST", headers, body });
  console.log(id, reply.status, await reply.text());
};
for (const name of process.argv.slice(2)) await call(name);
`;

async function answerNumbered(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, params } = (await json(request)) as { id: number; params: { name: string } };
  if (params.name === "forget") {
    response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Session not found"}');
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const message of [
    { method: "notifications/progress", params: { progressToken: id, progress: 1 } },
    { id, result: { content: [{ type: "text", text: `{ "id": ${id} }` }] } },
  ])
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  response.end();
}

test("calls of MCP match whatever number their client gives them, and get replies with that number", async () => {
  const origin = await aServer((request, response) => void answerNumbered(request, response));
  const cwd = aProject({
    "ask.mjs": NUMBERED,
    "tapedeck.jsonc": '{ "record": { "hosts": ["mcp.example.com"] } }',
  });
  const upstream = ["--upstream", `mcp.example.com=${origin}`];
  const ask = (...names: string[]) => ["--", process.execPath, "ask.mjs", ...names];

  await tapedeck(["run", "--mode", "record", ...upstream, ...ask("one", "two")], { cwd });
  const replayed = await tapedeck(["run", ...ask("two", "one", "one")], { cwd });
  const forgotten = await tapedeck(["run", "--mode", "record", ...upstream, ...ask("one", "forget")], {
    cwd,
  });

  expect(replayed.stderr).toContain("3 replayed · 0 missing");
  expect(replayed.stdout).toMatch(
    /^1 200 event: message\ndata: .*"progressToken":1,.*\n\nevent: message\ndata: .*"id":1,.*\\"id\\": 2 /,
  );
  expect(replayed.stdout).toMatch(/3 200 .*\n.*"progressToken":3,.*\n\n.*\n.*"id":3,/);
  expect(forgotten.stderr).toContain("does not know a-session-0123456789. Record its chain from the start");
});

const LOOKUP = "https://hub.invalid/api/models/meta/llama?expand[]=inferenceProviderMapping";
const FILE = "https://hub.invalid/meta/llama/resolve/main/config.json";
const LOOK_UP = {
  "look-up.mjs": `console.log(await (await fetch("${LOOKUP}")).text());
console.log(await fetch("${FILE}").then(() => "a file", () => "no file"));`,
  "look_up.py": `from urllib.request import urlopen
print(urlopen("${LOOKUP}").read().decode())
try:
    urlopen("${FILE}")
except OSError:
    print("no file")`,
};

test.each([
  ["Node", process.execPath, "look-up.mjs"],
  ["Python", "python3", "look_up.py"],
])(
  "Hugging Face's clients in %s replay what they ask the Hub about a model, and its files are not recorded",
  async (_language, program, file) => {
    const mapping = '{"inferenceProviderMapping":{"together":{"status":"live"}}}';
    const paths: unknown[] = [];
    const origin = await aServer((request, response) => {
      paths.push(request.url);
      response.writeHead(200, { "content-type": "application/json" }).end(mapping);
    });
    const cwd = aProject(LOOK_UP);
    const command = ["--", program, file];
    const upstream = `hub.invalid=${origin}`;

    const recorded = await tapedeck(["run", "--mode", "record", "--upstream", upstream, ...command], { cwd });
    const replayed = await tapedeck(["run", ...command], { cwd });

    expect(recorded.stderr).toContain("1 recorded");
    expect(replayed.stderr).toContain("1 replayed · 0 missing · 0 sent");
    expect(replayed.stdout).toBe(`${mapping}\nno file\n`);
    expect(paths).toHaveLength(1);
  },
);
