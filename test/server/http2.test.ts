import { connect, constants, type ClientHttp2Session } from "node:http2";
import { connect as connectSocket } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { anEngine, chatReply } from "../support/an-engine.ts";
import { aListeningServer, chatBody, TOKEN } from "./a-listening-server.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const PATH = `/${TOKEN}/openai/v1/chat/completions`;

async function aServer() {
  const engine = anEngine();
  return { ...(await aListeningServer({ providers: createProviders() }, engine)), engine };
}

function session(authority: string, options: Parameters<typeof connect>[1] = {}): ClientHttp2Session {
  const client = connect(authority, options);
  client.on("error", () => {});
  onTestFinished(() => client.destroy());
  return client;
}

async function ask(client: ClientHttp2Session, path: string, body: string) {
  const stream = client.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
  stream.end(body);
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  return { headers, body: await text(stream) };
}

describe("a client that speaks HTTP/2", () => {
  it("is answered as over HTTP/1.1, with many calls over one connection", async () => {
    const { server, chat, engine } = await aServer();
    const over1 = await chat("0");
    const client = session(server.origin);

    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ask(client, PATH, chatBody(String(index % 4)))),
    );

    expect(replies.map(({ headers }) => headers[":status"])).toEqual(replies.map(() => 200));
    expect(replies[0]?.body).toBe(over1.text);
    expect(replies[0]?.headers["content-type"]).toBe(over1.headers["content-type"]);
    expect(new Set(engine.events.map(({ key }) => key)).size).toBe(4);
    expect(server.requests).toBe(41);
  });

  it("has a tunnel to a provider's host like any other", async () => {
    const { server, engine } = await aServer();
    const socket = connectSocket(server.port, "127.0.0.1");
    const host = "bedrock-runtime.eu-west-1.amazonaws.com";
    socket.write(
      `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    await once(socket, "data");
    const client = session(`http://${host}`, { createConnection: () => socket });

    const { headers } = await ask(client, "/model/m/invoke", '{"inputText":"hi"}');

    expect(headers["x-tapedeck-outcome"]).toBe("recorded");
    expect(engine.sent.map(({ url }) => url)).toEqual([`https://${host}/model/m/invoke`]);
    expect(engine.sent[0]?.headers.map(([name]) => name)).not.toContain("connection");
  });

  it("needs a token, too", async () => {
    const { server, engine } = await aServer();

    const { headers } = await ask(
      session(server.origin),
      "/wrong/openai/v1/chat/completions",
      chatBody("hi"),
    );

    expect(headers[":status"]).toBe(403);
    expect(engine.events).toEqual([]);
  });

  it("may bring a large body, and leave in the middle of it", async () => {
    const { server, chat } = await aServer();
    const client = session(server.origin);
    const left = client.request({ ":method": "POST", ":path": PATH });
    left.on("error", () => {});
    left.write("{");
    await new Promise((done) => setTimeout(done, 20));
    left.close(constants.NGHTTP2_CANCEL);

    const large = chatBody("x".repeat(3_000_000));
    const { headers } = await ask(client, PATH, large);

    expect(headers[":status"]).toBe(200);
    expect((await chat()).status).toBe(200);
  });

  it("does not keep the server from closing", async () => {
    const { server } = await aServer();
    const client = session(server.origin);
    const closed = new Promise((done) => client.once("close", done));
    await ask(client, PATH, chatBody("hi"));

    await server.close();

    expect(await closed).toBeUndefined();
  });

  it("and sends nothing more loses its connection, although it keeps its own end open", async () => {
    const { open } = await aListeningServer({ patience: { headMs: 100 } });

    const { told, closed, socket } = await open(PREFACE);
    await told;
    // A write to a closed connection fails.
    const knocking = setInterval(() => socket.write("x"), 20);
    onTestFinished(() => clearInterval(knocking));

    expect(await closed).toBeUndefined();
  });

  it("is not cut off while its call is under way, however long that takes", async () => {
    let reply = (): void => {};
    const engine = anEngine(() => new Promise((done) => (reply = () => done(chatReply("late")))));
    // Long enough for the call to come in on a busy machine: before it, the connection is an idle one.
    const patience = { headMs: 1_000, idleMs: 1_000, checkMs: 10 };
    const { server } = await aListeningServer({ patience }, engine);
    const client = session(server.origin);
    const asked = ask(client, PATH, chatBody("hi"));
    await once(client, "goaway");

    reply();

    expect((await asked).body).toContain("late");
  });
});
