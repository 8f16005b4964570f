import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { aServer } from "../support/a-server.ts";
import { chatEvent, DONE } from "../support/an-engine.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** A program that leaves its stream at the first event, and then lets the provider send the rest. */
const LEAVE = `
const { OPENAI_BASE_URL, GO } = process.env;
const reply = await fetch(OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
});
for await (const piece of reply.body) { console.log(reply.status, Buffer.from(piece).toString().includes("first")); break; }
if (GO) await fetch(GO);
`;

it("a stream that a program leaves is recorded when it has come, and replayed to a program that leaves it", async () => {
  let held: ServerResponse | undefined;
  let calls = 0;
  const origin = await aServer((_, response) => {
    calls += 1;
    held = response.writeHead(200, { "content-type": "text/event-stream" });
    held.write(chatEvent("first"));
  });
  // A separate server, because requests to the provider's address are calls.
  const go = await aServer((_, response) => {
    held?.end(chatEvent("second") + DONE);
    response.end();
  });
  const cwd = aProject({ "leave.mjs": LEAVE });
  const run = (mode: string, env: Record<string, string>) =>
    tapedeck(["run", "--mode", mode, "--upstream", `openai=${origin}`, "--", process.execPath, "leave.mjs"], {
      cwd,
      env,
    });

  const recorded = await run("record", { GO: go });
  const replayed = await run("strict", {});

  expect([recorded.stdout, recorded.code]).toEqual(["200 true\n", 0]);
  expect(recorded.stderr).toContain("1 recorded");
  expect([replayed.stdout, replayed.code]).toEqual(["200 true\n", 0]);
  expect(calls).toBe(1);
});
