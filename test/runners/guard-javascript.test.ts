import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { aServer } from "../support/a-server.ts";
import { eventMessage } from "../support/event-message.ts";
import { packageFolder } from "./support/installed.ts";

/** Has `packages` at hand, as if they were installed. */
function aProjectWith(files: Record<string, string>, ...packages: readonly string[]): string {
  const cwd = aProject(files);
  for (const name of packages) {
    const link = join(cwd, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packageFolder("current", name), link, "junction");
  }
  return cwd;
}

/** Answers Bedrock's Converse, whole or streamed; the endless stream notices when its client leaves. */
async function aBedrock() {
  const asked: string[] = [];
  const left: string[] = [];
  const origin = await aServer((request, response) => {
    asked.push(`${request.httpVersion} ${decodeURIComponent(request.url ?? "")}`);
    request.resume();
    if (request.url?.endsWith("/converse") === true) {
      const message = { role: "assistant", content: [{ text: `Answer ${asked.length}` }] };
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ output: { message }, stopReason: "end_turn", usage }));
      return;
    }
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    const send = (type: string, value: object): unknown =>
      response.write(eventMessage({ ":event-type": type }, JSON.stringify(value)));
    send("messageStart", { role: "assistant" });
    send("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "piece by " } });
    if (request.url?.includes("endless") === true) {
      response.once("close", () => left.push("endless"));
      return;
    }
    send("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "piece" } });
    send("contentBlockStop", { contentBlockIndex: 0 });
    send("messageStop", { stopReason: "end_turn" });
    send("metadata", {
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      metrics: { latencyMs: 1 },
    });
    response.end();
  });
  return { asked, left, options: ["--upstream", `bedrock=${origin}`] };
}

const BEDROCK = `
import { test } from "node:test";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
const endpoint = process.env.IN_CODE ? { endpoint: "https://bedrock-runtime.us-east-1.amazonaws.com" } : {};
const client = new BedrockRuntimeClient({ region: "us-east-1", token: { token: "own" }, authSchemePreference: ["httpBearerAuth"], maxAttempts: 1, ...endpoint });
const asking = (modelId, text) => ({ modelId, messages: [{ role: "user", content: [{ text }] }] });
test("asks in one go", async () => {
  console.log(client.config.requestHandler.constructor.name);
  const replies = await Promise.all(["one", "two", "three"].map((text) => client.send(new ConverseCommand(asking("m", text)))));
  console.log(new Set(replies.map(({ output }) => output.message.content[0].text)).size);
});
test("asks piece by piece", async () => {
  const { stream } = await client.send(new ConverseStreamCommand(asking("m", "one")));
  for await (const { contentBlockDelta } of stream) if (contentBlockDelta) console.log(contentBlockDelta.delta.text);
});
if (process.env.LEAVES) test("leaves", async () => {
  const leaving = new AbortController();
  const { stream } = await client.send(new ConverseStreamCommand(asking("endless", "one")), { abortSignal: leaving.signal });
  await stream[Symbol.asyncIterator]().next();
  leaving.abort();
  client.destroy();
});
`;

const ask = ["--", process.execPath, "--test", "--test-reporter=tap", "bedrock.test.mjs"];

test.each([
  ["the address in its code", { IN_CODE: "1" }],
  ["the variable", {}],
])("AWS's SDK speaks HTTP/2 as it comes, and is recorded and replayed, by %s", async (_, env) => {
  const bedrock = await aBedrock();
  const cwd = aProjectWith({ "bedrock.test.mjs": BEDROCK }, "@aws-sdk/client-bedrock-runtime");

  const missed = await tapedeck(["run", ...ask], { cwd, env });
  const recorded = await tapedeck(["run", "--mode", "record", ...bedrock.options, ...ask], { cwd, env });
  const replayed = await tapedeck(["run", ...ask], { cwd, env });

  expect(missed.stderr).toContain("0 replayed · 4 missing · 0 sent");
  expect(missed.stderr).toContain("asks piece by piece");
  expect(recorded.stderr).toContain("4 recorded");
  expect(recorded.stdout).toContain("NodeHttp2Handler");
  expect(recorded.stdout).toMatch(/piece by[^]*piece/);
  expect(replayed.stderr).toContain("4 replayed · 0 missing · 0 sent");
  expect([...bedrock.asked].sort()).toEqual([
    ...Array.from({ length: 3 }, () => "1.1 /model/m/converse"),
    "1.1 /model/m/converse-stream",
  ]);
  expect([recorded.code, replayed.code]).toEqual([0, 0]);
});

test("AWS's SDK can abort a stream, and its provider notices", async () => {
  const bedrock = await aBedrock();
  const cwd = aProjectWith({ "bedrock.test.mjs": BEDROCK }, "@aws-sdk/client-bedrock-runtime");
  const env = { IN_CODE: "1", LEAVES: "1" };

  const { code } = await tapedeck(["run", "--mode", "live", ...bedrock.options, ...ask], { cwd, env });

  expect(code).toBe(0);
  expect(bedrock.left).toEqual(["endless"]);
});
