import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, it, vi } from "vitest";
import { readActions } from "../../src/agent/agent-log.ts";
import { TOOLS } from "../../src/agent/tools.ts";
import { program } from "../cli/built-program.ts";
import { aProject, plainEnvironment } from "../cli/tapedeck.ts";
import { isRunning } from "../support/is-running.ts";

/** Starts the program as it ships with the official client, and resolves when it is ready. */
async function startServer(cwd: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "--dir", "recordings"],
    cwd,
    env: plainEnvironment(),
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
}

it("tapedeck mcp answers the official client: its tools, a result, and an error", async () => {
  const cwd = aProject({ "a.test.mjs": 'import { test } from "node:test"; test("is empty", () => {});' });
  const client = await startServer(cwd);

  const { tools } = await client.listTools();
  const ran = await client.callTool({ name: "tapedeck_run_test", arguments: { file: "a.test.mjs" } });
  const refused = await client.callTool({ name: "tapedeck_record", arguments: { file: "a.test.mjs" } });
  const wrong = await client.callTool({ name: "tapedeck_run_test", arguments: { command: "rm" } });
  await client.close();

  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  expect(tools.map(({ inputSchema }) => inputSchema)).toEqual(TOOLS.map(({ inputSchema }) => inputSchema));
  expect(client.getInstructions()).toContain("tapedeck_explain_miss");
  expect(ran).toMatchObject({
    isError: false,
    content: [{ text: expect.stringContaining("The test passed.") }],
  });
  expect(refused).toMatchObject({ content: [{ text: expect.stringMatching(/^Refused:/) }] });
  expect(wrong).toMatchObject({ isError: true });
});

const HANGS = `
import { test } from "node:test";
import { writeFileSync } from "node:fs";
test("hangs", async () => {
  writeFileSync("started", String(process.pid));
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
`;

/** Resolves to the process id of the test that hangs, once it runs. */
const untilStarted = (cwd: string): Promise<number> =>
  vi.waitFor(() => Number(readFileSync(join(cwd, "started"), "utf8")), { timeout: 60_000, interval: 50 });

const HANGING = { name: "tapedeck_run_test", arguments: { file: "a.test.mjs" } };

it("tapedeck mcp ends the test of a call that is cancelled, and of a client that is gone", async () => {
  for (const ending of ["cancelled", "gone"] as const) {
    const cwd = aProject({ "a.test.mjs": HANGS });
    const client = await startServer(cwd);
    const stopped = new AbortController();
    const running = client.callTool(HANGING, undefined, { signal: stopped.signal }).catch(() => undefined);
    const pid = await untilStarted(cwd);

    if (ending === "cancelled") stopped.abort();
    else await client.close();

    await expect.poll(() => isRunning(pid)).toBe(false);
    await running;
    await client.close();
  }
});

it("two clients use one project at once", async () => {
  const cwd = aProject({ "a.test.mjs": 'import { test } from "node:test"; test("is empty", () => {});' });
  mkdirSync(join(cwd, "recordings"));
  const clients = [await startServer(cwd), await startServer(cwd)];

  const results = await Promise.all(clients.map((client) => client.callTool(HANGING)));
  await Promise.all(clients.map((client) => client.close()));

  expect(results).toMatchObject([{ isError: false }, { isError: false }]);
  expect(await readActions(join(cwd, "recordings"))).toHaveLength(2);
});

it("lines that are not messages are skipped", async () => {
  const child = spawn(process.execPath, [program, "mcp"], { cwd: aProject(), env: plainEnvironment() });
  const write = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.write('}{\n\0\n[]\n"text"\n{"jsonrpc":"2.0"}\n');
  write({ jsonrpc: "2.0", id: 1, method: "no/method" });
  write({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: 5 } });
  write({ jsonrpc: "2.0", id: 3, method: "ping" });

  let printed = "";
  for await (const piece of child.stdout) {
    printed += String(piece);
    if (printed.includes('"id":3')) break;
  }
  child.kill();

  expect(printed).toMatch(/"id":1,"error".*\n.*"id":2,"error"/);
  expect(printed).toContain('{"result":{},"jsonrpc":"2.0","id":3}');
});

it("the skill has less than 800 tokens, names tools that exist, and never suggests to accept or weaken", async () => {
  const { encode } = await import("gpt-tokenizer");
  const text = readFileSync(join(import.meta.dirname, "../../skills/tapedeck/SKILL.md"), "utf8");
  const named = new Set(text.match(/tapedeck_[a-z_]+/g));

  expect(encode(text).length).toBeLessThan(800);
  expect(
    [...named].filter((name) => name !== "tapedeck_miss" && !TOOLS.some((tool) => tool.name === name)),
  ).toEqual([]);
  expect(text).toMatch(/^---\nname: tapedeck\ndescription: .+\n---\n/);
});
