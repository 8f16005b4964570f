import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { createWindowProxy } from "../../../src/editor/environment/window-proxy.ts";
import { aListeningServer, chatBody, TOKEN } from "../../server/a-listening-server.ts";
import { aRun } from "../../support/an-engine.ts";

const providers = createProviders();
const NO_JAVA = { PATH: "" };

async function aWindow(port?: number) {
  const listening = await aListeningServer({ providers });
  const warnings: string[] = [];
  const proxy = createWindowProxy({
    port: () => port ?? listening.server.port,
    providers: () => providers,
    base: () => NO_JAVA,
    warn: (message) => warnings.push(message),
  });
  onTestFinished(() => proxy.close());
  return { ...listening, proxy, warnings };
}

/** Makes a chat call to OpenAI's address from a program that reads these variables; returns the end of its output. */
async function ask(variables: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, username, password } = new URL(variables["HTTPS_PROXY"] ?? "");
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const asking = request({
    host: hostname,
    port,
    method: "CONNECT",
    path: "api.openai.com:443",
    headers: { "proxy-authorization": `Basic ${credentials}` },
  }).end();
  const [, socket] = (await once(asking, "connect")) as [unknown, Duplex];
  const ca = readFileSync(variables["SSL_CERT_FILE"] ?? "", "utf8");
  const secure = connectTls({ socket, servername: "api.openai.com", ca });
  await once(secure, "secureConnect");
  const body = chatBody("by the proxy of a window");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: api.openai.com\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  secure.write(head + body);
  let answer = "";
  for await (const piece of secure) answer += String(piece);
  return answer;
}

it("gives the calls of each run to that run, at one address and under one authority", async () => {
  const { proxy, server, engine } = await aWindow();
  server.admit(aRun("strict"), "token-of-a-test");
  const shared = await proxy.variables(TOKEN);
  const own = await proxy.variables("token-of-a-test");

  await ask(shared);
  await ask(own);

  expect(engine.events.map(({ run }) => run)).toEqual(["record", "strict"]);
  expect(new URL(own["HTTPS_PROXY"] ?? "").port).toBe(new URL(shared["HTTPS_PROXY"] ?? "").port);
  expect(own["SSL_CERT_FILE"]).toBe(shared["SSL_CERT_FILE"]);
});

it("takes its files away when the window ends", async () => {
  const { proxy } = await aWindow();
  const { SSL_CERT_FILE = "" } = await proxy.variables(TOKEN);
  const before = existsSync(SSL_CERT_FILE);

  await proxy.close();

  expect([before, existsSync(SSL_CERT_FILE)]).toEqual([true, false]);
});
