import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";

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
  const server = createServer((request, response) => {
    sessions.push(request.headers["mcp-session-id"]);
    response.writeHead(200, {
      "content-type": "application/json",
      "mcp-session-id": "2b7e1516-28ae-4d2a-a6ab-f7158809cf4f",
    });
    response.end('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cwd = aProject({
    "ask.mjs": CLIENT,
    "tapedeck.jsonc": '{ "record": { "hosts": ["mcp.example.com"] } }',
  });
  const command = ["--", process.execPath, "ask.mjs"];

  const recorded = await tapedeck(
    ["run", "--mode", "record", "--upstream", `mcp.example.com=http://127.0.0.1:${port}`, ...command],
    { cwd },
  );
  const replayed = await tapedeck(["run", ...command], { cwd });

  expect(recorded.stderr).toContain("2 recorded");
  expect(replayed.stderr).toContain("2 replayed · 0 missing · 0 sent");
  expect(replayed.stdout).toBe(recorded.stdout);
  expect(sessions).toEqual([undefined, "2b7e1516-28ae-4d2a-a6ab-f7158809cf4f"]);
});
