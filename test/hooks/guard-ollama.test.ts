import { join } from "node:path";
import { expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aServer } from "../support/a-server.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";

/** The SDK as people make it: it reads no variable for its address. */
const ASK = `
import { createRequire } from "node:module";
const { default: ollama, Ollama } = createRequire(${JSON.stringify(join(rootDir, "node_modules", "x.js"))})("ollama");
const messages = [{ role: "user", content: "Say hi" }];
for (const client of [ollama, new Ollama(), new Ollama({ host: "http://localhost:11434" })]) {
  const reply = await client.chat({ model: "llama3", messages });
  console.log(reply.message.content);
}
`;

it("Ollama's JavaScript SDK, which does not read OLLAMA_HOST, is recorded and replayed all the same", async () => {
  const upstream = await aServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: "Hi" };
    response.end(
      JSON.stringify({ model: "llama3", created_at: "2026-01-01T00:00:00Z", message, done: true }),
    );
  });
  const cwd = aProject({ "ask.mjs": ASK });
  const command = ["--", process.execPath, "ask.mjs"];

  const recorded = await tapedeck(
    ["run", "--mode", "record", "--upstream", `ollama=${upstream}`, ...command],
    { cwd },
  );
  const replayed = await tapedeck(["run", ...command], { cwd });

  expect([recorded.code, recorded.stdout]).toEqual([0, "Hi\nHi\nHi\n"]);
  expect([replayed.code, replayed.stdout]).toEqual([0, "Hi\nHi\nHi\n"]);
  expect(replayed.stderr).toContain("3 replayed · 0 missing · 0 sent");
});
