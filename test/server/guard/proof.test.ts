import { createHash, createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../../src/server/server.ts";
import { anEngine, aRun, chatReply } from "../../support/an-engine.ts";
import { send } from "../../support/http-client.ts";

const NONCE = "0123456789abcdef".repeat(2);
const idOf = (token: string): string =>
  createHash("sha256").update(`tapedeck id\n${token}`).digest("hex").slice(0, 32);

async function aTokenedServer() {
  const server = await listen({ engine: anEngine(() => chatReply("hi")).engine });
  onTestFinished(() => server.close());
  const admission = server.admit(aRun("strict"), "token");
  const ask = (path: string, change: Parameters<typeof send>[1] = {}) =>
    send(server.origin + path, { method: "GET", ...change });
  return { server, admission, ask };
}

test("who knows the token can tell that the server does too, for its port, and it counts as no request", async () => {
  const { server, admission, ask } = await aTokenedServer();

  const reply = await ask(`/@proof/${idOf("token")}/${NONCE}`);

  const text = `tapedeck proof\n${server.port}\n${NONCE}`;
  expect(reply.status).toBe(200);
  expect(reply.text).toBe(createHmac("sha256", "token").update(text).digest("hex"));
  expect([server.requests, admission.requests]).toEqual([0, 0]);
});

test.each([
  ["a token that is not admitted", `/@proof/${idOf("another")}/${NONCE}`, {}],
  ["no number", `/@proof/${idOf("token")}`, {}],
  ["a number of another length", `/@proof/${idOf("token")}/${NONCE}00`, {}],
  ["a body", `/@proof/${idOf("token")}/${NONCE}`, { method: "POST" }],
  ["a web page", `/@proof/${idOf("token")}/${NONCE}`, { headers: { origin: "https://page.example" } }],
])("nothing is proved for %s", async (_, path, change) => {
  const { ask } = await aTokenedServer();

  const reply = await ask(path, change);

  expect(reply.status).toBe(403);
  expect(reply.text).not.toMatch(/[0-9a-f]{64}/);
});

test("a token that was revoked proves nothing any more", async () => {
  const { admission, ask } = await aTokenedServer();
  admission.revoke();

  expect((await ask(`/@proof/${idOf("token")}/${NONCE}`)).status).toBe(403);
});
