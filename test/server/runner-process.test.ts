import { request } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../../src/server/server.ts";
import type { RunnerProcess } from "../../src/server/runner-process.ts";
import { anEngine, aRun, chatReply } from "../support/an-engine.ts";
import { send } from "../support/http-client.ts";

async function aServerThatHears() {
  const heard: RunnerProcess[] = [];
  const server = await listen({
    engine: anEngine(() => chatReply("hi")).engine,
    onTests: (runner) => heard.push(runner),
  });
  onTestFinished(() => server.close());
  return { server, heard };
}

test("a process in which tests run is known from its first test to its end, and counts as no request", async () => {
  const { server, heard } = await aServerThatHears();
  const admission = server.admit(aRun("strict"));

  const telling = request(`${admission.url}/@tests?runner=vitest&age=120`).on("error", () => {});
  telling.end();
  const process = await vi.waitUntil(() => heard[0], { timeout: 600_000 });
  telling.destroy();
  await process.ended;

  expect(process).toMatchObject({ runner: "vitest", age: 120, run: admission.run });
  expect([server.requests, admission.requests]).toEqual([0, 0]);
});

test.each([
  ["a wrong token", "/wrong/@tests?runner=vitest&age=1", {}, 403],
  ["a web page", "/token/@tests?runner=vitest&age=1", { origin: "https://page.example" }, 403],
  ["no runner", "/token/@tests", {}, 204],
  ["a name that is none", "/token/@tests?runner=%3Cimg%20src%3E&age=1", {}, 204],
])("%s reports nothing", async (_, path, headers, status) => {
  const { server, heard } = await aServerThatHears();
  server.admit(aRun("strict"), "token");

  const reply = await send(server.origin + path, { method: "GET", headers });

  expect(reply.status).toBe(status);
  expect(heard).toEqual([]);
});
