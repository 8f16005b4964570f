import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ClientRequest } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { aRealtimeServer, converse as behave } from "../../support/a-realtime-server.ts";
import { aRealtimeDeck, aSessionDeck, converse, CREATE, says, UPDATE } from "../../support/a-session-deck.ts";
import { anUpgradingServer, aServer } from "../../support/a-server.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

test("a server that closes with an error is passed on, and nothing is recorded", async () => {
  const upstream = await aRealtimeServer((ws, send) => {
    send({ type: "session.created", session: {} });
    ws.on("message", () => ws.close(1011, "out of memory"));
  });
  const { url, deck, reported } = await aSessionDeck({ openai: upstream.url });
  const client = await aSocketClient(url("record"));
  client.send(says("hi"));

  expect(await client.closed).toBe("1011 out of memory");
  const [event] = await reported(1);
  expect(event).toMatchObject({
    outcome: "forwarded",
    reason: "openai closed the session with code 1011: out of memory",
  });
  expect(await deck.store.list()).toEqual([]);
});

test("a server that closes normally is recorded with its code and reason, with pings, bytes, and text before", async () => {
  const upstream = await aRealtimeServer((ws) => {
    ws.on("message", (data, isBinary) => {
      ws.ping("are you there?");
      ws.send(data, { binary: isBinary });
      ws.send("plain text,\nin two lines");
      ws.send("a line separator \u2028 is not a line end");
      ws.send(Buffer.from('{\n  "indented": {\n    "a": 1\n  }\n}\n'));
      ws.close(1000, "session expired");
    });
  });
  const { url, reported } = await aSessionDeck({ openai: upstream.url });
  const play = async (mode: "record" | "strict") => {
    const client = await aSocketClient(url(mode));
    client.ws.send(Buffer.from([0, 255, 1, 254]));
    return { end: await client.closed, frames: client.frames };
  };
  const recorded = await play("record");
  const [event] = await reported(1);
  expect(event).toMatchObject({ outcome: "recorded" });
  const replayed = await play("strict");

  expect(recorded.end).toBe("1000 session expired");
  expect(recorded.frames).toHaveLength(5);
  expect(replayed).toEqual(recorded);
});

test("a client that leaves without closing is not recorded, and the reason is reported", async () => {
  const { url, deck, reported, warnings } = await aRealtimeDeck();
  const client = await aSocketClient(url("record"));
  await client.until("session.created");
  client.send({ type: "input_audio_buffer.append", audio: "AAAA" });
  client.ws.terminate();
  const [event] = await reported(1);

  expect(event).toMatchObject({ outcome: "forwarded" });
  expect(warnings.join()).toContain("The client left without closing the WebSocket.");
  expect(await deck.store.list()).toEqual([]);
});

test("a client that closes during a reply does not wait, and the whole reply is recorded", async () => {
  let finish = (): void => {};
  const upstream = await aRealtimeServer((ws, send) => {
    ws.on("message", () => {
      send({ type: "response.created", response: { id: "resp_1" } });
      finish = () => send({ type: "response.done", response: { id: "resp_1", output: [] } });
    });
  });
  const { url, deck, reported } = await aSessionDeck({ openai: upstream.url });
  const client = await aSocketClient(url("record"));
  client.send(CREATE);
  await client.until("response.created");
  await client.close();
  finish();
  const [event] = await reported(1);
  const replaying = await aSocketClient(url("strict"));
  replaying.send(CREATE);

  expect(event?.outcome).toBe("recorded");
  expect(await replaying.until("response.done")).toContain("resp_1");
  expect(await deck.store.list()).toHaveLength(1);
});

test("a message of more than 16 MiB ends the session with 1009, and nothing is recorded", async () => {
  const { url, deck, reported } = await aRealtimeDeck();
  const client = await aSocketClient(url("record"));
  await client.until("session.created");
  client.ws.send("x".repeat(17 * 1_048_576));

  expect(await client.closed).toBe("1009");
  expect((await reported(1))[0]).toMatchObject({
    outcome: "forwarded",
    reason: "A message is larger than 16 MiB",
  });
  expect(await deck.store.list()).toEqual([]);
});

test("a message of more than 16 MiB, or a broken one, is refused in a replay, and is not recorded", async () => {
  const { url, deck, reported } = await aRealtimeDeck();
  await converse(url("record"), ["hello"]);
  const client = await aSocketClient(url("strict"));
  await client.until("session.created");
  client.ws.send("x".repeat(17 * 1_048_576));
  const end = await client.closed;
  const broken = [];
  for (const mode of ["strict", "refresh"] as const) {
    let connection: Socket | undefined;
    const createConnection = (options: NetConnectOpts) => (connection = connect(options));
    const other = await aSocketClient(url(mode), { createConnection: createConnection as typeof connect });
    await other.until("session.created");
    // Reserved bits are set.
    connection?.write(Buffer.from("fffefdfcfbfa0011223344", "hex"));
    broken.push(await other.closed);
  }

  expect([end, ...broken]).toEqual(["1009", "1002", "1002"]);
  expect((await reported(4)).map(({ outcome, reason }) => `${outcome}: ${reason ?? ""}`)).toEqual([
    "recorded: ",
    "refused: A message is larger than 16 MiB.",
    expect.stringMatching(/^refused: A message cannot be read \(Invalid WebSocket frame: .*\)\.$/),
    expect.stringMatching(/^forwarded: A message cannot be read \(Invalid WebSocket frame: .*\)$/),
  ]);
  expect(await deck.store.list()).toHaveLength(1);
});

test("the subprotocol is the one that the server chose; a client that does not offer it gets a miss", async () => {
  const { url, reported, deck } = await aRealtimeDeck();
  const protocols = ["realtime", "openai-insecure-api-key.sk-proj-abcdefghij0123456789"];
  const open = (mode: "record" | "strict", offered: string[]) =>
    aSocketClient(url(mode), { protocols: offered });
  const recorded = await open("record", protocols);
  await recorded.until("session.created");
  await recorded.close();
  const [event] = await reported(1);
  const replayed = await open("strict", protocols);
  const other = await open("strict", ["something-else"]);

  expect([recorded.ws.protocol, replayed.ws.protocol]).toEqual(["realtime", "realtime"]);
  expect(await other.closed).toMatch(/^1008 tapedeck_miss/);
  expect(JSON.stringify(await deck.store.read(event?.entry ?? ""))).not.toContain("abcdefghij0123456789");
});

test("a subprotocol that was not offered is an error of the upstream", async () => {
  const upstream = await anUpgradingServer((key) => {
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: mine\r\n\r\n`;
  });
  const { url, deck, reported } = await aSessionDeck({ openai: upstream });

  await expect(aSocketClient(url("record"))).rejects.toThrow("Unexpected server response: 502");

  expect((await reported(1))[0]).toMatchObject({
    reason: "The provider chose a subprotocol for the WebSocket, and the client offers none.",
    hint: "Nothing was recorded. Have the client offer what the API documents.",
  });
  expect(await deck.store.list()).toEqual([]);
});

test("a client gets the reason if the upstream chooses none of its subprotocols", async () => {
  const { url, reported } = await aRealtimeDeck();

  await expect(aSocketClient(url("record"), { protocols: ["mine"] })).rejects.toThrow("502");
  expect((await reported(1))[0]?.reason).toBe(
    "The provider chose none of the subprotocols that the client offers for the WebSocket.",
  );
});

test("an upstream that answers the handshake with a status is passed on", async () => {
  const upstream = await anUpgradingServer(
    () => "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
  );
  const { url, reported } = await aSessionDeck({ openai: upstream });

  await expect(aSocketClient(url("record"))).rejects.toThrow("Unexpected server response: 401");

  expect((await reported(1))[0]).toMatchObject({ outcome: "forwarded", upstreamStatus: 401 });
});

test.each([
  ["ends", (connection: Socket) => connection.end()],
  ["resets", (connection: Socket) => connection.resetAndDestroy()],
])(
  "a provider has as long for the handshake as its client waits, until the client %s",
  async (...[, leave]) => {
    let held: Promise<readonly unknown[]> | undefined;
    const origin = await aServer(
      () => {},
      (server) => void (held = once(server, "upgrade")),
    );
    const limits: unknown[] = [];
    const noteLimit = (started: unknown): void => {
      const { request } = started as { request: ClientRequest & { timeout?: number } };
      if (request.getHeader("host") === new URL(origin).host) limits.push(request.timeout);
    };
    subscribe("http.client.request.start", noteLimit);
    onTestFinished(() => void unsubscribe("http.client.request.start", noteLimit));
    const { url, reported } = await aSessionDeck({ openai: origin });
    let connection: Socket | undefined;
    const createConnection = (options: NetConnectOpts) => (connection = connect(options));
    const client = new WebSocket(url("record").replace("http", "ws"), {
      createConnection: createConnection as typeof connect,
    });
    client.on("error", () => {});
    const [, upstream] = (await held) as [unknown, Duplex];
    if (connection) leave(connection);
    await once(upstream.resume(), "end");

    // A busy machine answers late.
    expect(limits).toEqual([undefined]);
    expect((await reported(1))[0]?.reason).toContain("The client closed the connection");
  },
);

test("a session with a secret is not recorded", async () => {
  const { url, deck, reported } = await aRealtimeDeck();
  await converse(url("record"), ["my key is sk-proj-Abcdefghijklmnop0123456789qrstuvwxyzABCD"]);

  expect((await reported(1))[0]).toMatchObject({ outcome: "forwarded" });
  expect((await reported(1))[0]?.reason).toContain("OpenAI key");
  expect(await deck.store.list()).toEqual([]);
});

test("the key of the client is in no recording", async () => {
  const upstream = await aRealtimeServer((ws, send) => {
    send({ type: "session.created", session: { client_secret: "a-secret-of-the-test-0123456789" } });
    behave(ws, send);
  });
  const { url, deck, reported } = await aSessionDeck({ openai: upstream.url });
  const client = await aSocketClient(url("record"), {
    headers: { authorization: "Bearer a-secret-of-the-test-0123456789" },
  });
  await client.until("session.created");
  await client.close();

  expect((await reported(1))[0]?.outcome).toBe("forwarded");
  expect(await deck.store.list()).toEqual([]);
});

test("no reply is written by hand for a session, and no tool calls where there are none", async () => {
  const { deck, url, events } = await aSessionDeck({});
  await converse(url("strict"), ["hello"]).catch(() => undefined);
  const fetch = deck.fetch(deck.createRun("strict"));
  const body = JSON.stringify({ model: "text-embedding-3-small", input: "hello" });
  await fetch("https://api.openai.com/v1/embeddings", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const [session, embedding] = ["realtime", "embeddings"].map(
    (operation) => events.find((event) => event.operation === operation)?.miss,
  );
  if (session === undefined || embedding === undefined) throw new Error("Both calls must be missed.");
  const toolCalls = [{ id: "1", name: "look", arguments: "{}" }];

  expect(() => deck.compose(session, { text: "Hi!" })).toThrow("The reply of a session cannot be written");
  expect(() => deck.compose(embedding, { text: "", toolCalls })).toThrow("has no tool calls");
});

test("a client that stops before the end of its recording is replayed, with a warning that names the message", async () => {
  const { url, reported, warnings } = await aRealtimeDeck();
  await converse(url("record"), ["hello"]);
  const client = await aSocketClient(url("strict"));
  await client.until("session.created");
  client.send(UPDATE);
  client.ws.terminate();
  const [, event] = await reported(2);

  expect(event?.outcome).toBe("replayed");
  expect(warnings.join()).toContain("before message 2 (conversation.item.create) of 3.");
});
