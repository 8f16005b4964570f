import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { TOOLS } from "../../src/agent/tools.ts";
import { program } from "../cli/built-program.ts";
import { aProject, plainEnvironment } from "../cli/tapedeck.ts";

/** Starts the program as it ships with the official client, and resolves to the milliseconds until it is ready. */
async function startServer(cwd: string): Promise<{ readonly client: Client; readonly ms: number }> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "--dir", "recordings"],
    cwd,
    env: plainEnvironment(),
    stderr: "ignore",
  });
  const begun = performance.now();
  await client.connect(transport);
  return { client, ms: performance.now() - begun };
}

it("tapedeck mcp answers the official client: its tools, a result, and an error", async () => {
  const cwd = aProject({ "a.test.mjs": 'import { test } from "node:test"; test("is empty", () => {});' });
  const { client } = await startServer(cwd);

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

it("tapedeck mcp is ready in the time of a few starts of Node", async () => {
  const cwd = aProject();
  const bare = Math.min(
    ...Array.from({ length: 3 }, () => {
      const begun = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      return performance.now() - begun;
    }),
  );
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { client, ms } = await startServer(cwd);
    await client.close();
    times.push(ms);
  }
  const best = Math.min(...times);

  console.log(
    `▸ tapedeck mcp ready in ${Math.round(best)} ms, ${(best / bare).toFixed(1)} times \`node -e 0\``,
  );
  expect(best / bare).toBeLessThan(8);
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
