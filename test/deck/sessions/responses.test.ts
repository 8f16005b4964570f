import type { RequestListener } from "node:http";
import { join } from "node:path";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { readEvents } from "../../../src/core/base/wire/sse.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import type { CallEvent, Mode } from "../../../src/core/call/call.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aServer } from "../../support/a-server.ts";
import { aRequest } from "../../support/traffic-fixture.ts";
import { operationAt } from "../../support/wire-fixtures.ts";

const QUESTION = { model: "gpt-5", input: "What is the capital of France?" } as const;

const PATH = "/v1/responses";
const { protocol } = operationAt("openai", "POST", PATH);

/** A server of OpenAI's responses, over HTTP and over WebSockets. */
async function aResponsesServer() {
  const asked: string[] = [];
  const streamOf = (request: typeof QUESTION): Uint8Array =>
    protocol.compose(
      { text: `You asked: ${request.input}` },
      aRequest({ path: PATH, body: { ...request, stream: true } }),
    ).body;
  const answer: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      asked.push(`http ${body}`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(streamOf(JSON.parse(body) as typeof QUESTION));
    });
  };
  const url = await aServer(answer, (server) => {
    const sockets = new WebSocketServer({ server });
    onTestFinished(() => sockets.clients.forEach((ws) => ws.terminate()));
    sockets.on("connection", (ws) =>
      ws.on("message", (data) => {
        asked.push(`socket ${String(data)}`);
        const message = JSON.parse(String(data)) as typeof QUESTION;
        if (message.input.includes("wrong"))
          ws.send(
            JSON.stringify({
              type: "error",
              status: 400,
              error: { code: "invalid", message: "Wrong.", type: "invalid_request_error", param: null },
            }),
          );
        else for (const event of readEvents(streamOf(message))) ws.send(event.data ?? "");
      }),
    );
  });
  return { url, asked };
}

async function aDeck(url: string) {
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: url } });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const events: CallEvent[] = [];
  deck.engine.onCall((event) => events.push(event));
  const client = (mode: Mode): OpenAI =>
    new OpenAI({
      apiKey: "sk-own",
      baseURL: `${server.admit(deck.createRun(mode)).url}/openai/v1`,
      maxRetries: 0,
    });
  return { deck, events, client };
}

/** Asks over a WebSocket, and returns the events up to the last one. */
async function askOverSocket(client: OpenAI, ...inputs: readonly string[]): Promise<readonly object[]> {
  const events: object[] = [];
  const socket = new ResponsesWS(client);
  const ended = new Promise<void>((resolve) => {
    let left = inputs.length;
    socket.on("error", () => {});
    socket.on("event", (event) => {
      events.push(event);
      if (/^(?:response\.completed|error)$/.test(event.type) && --left === 0) resolve();
    });
  });
  for (const input of inputs) socket.send({ type: "response.create", ...QUESTION, input });
  await ended;
  socket.close();
  return events;
}

async function askOverHttp(client: OpenAI): Promise<readonly object[]> {
  const events: object[] = [];
  for await (const event of await client.responses.create({ ...QUESTION, stream: true })) events.push(event);
  return events;
}

test.each([
  ["a WebSocket", "HTTP", askOverSocket, askOverHttp],
  ["HTTP", "a WebSocket", askOverHttp, askOverSocket],
])("a response recorded over %s is replayed over %s", async (_, __, record, replay) => {
  const upstream = await aResponsesServer();
  const { deck, events, client } = await aDeck(upstream.url);
  const recorded = await record(client("record"), QUESTION.input);
  const replayed = await replay(client("strict"), QUESTION.input);

  expect(JSON.stringify(recorded.at(-1))).toContain(`You asked: ${QUESTION.input}`);
  expect(replayed).toEqual(recorded);
  expect(upstream.asked).toHaveLength(1);
  expect(events.map(({ outcome, operation, label }) => [outcome, operation, label])).toEqual([
    ["recorded", "responses", QUESTION.input],
    ["replayed", "responses", QUESTION.input],
  ]);
  expect(await deck.store.list()).toHaveLength(1);
});

test("the turns of one WebSocket are answered in order, one of them by the provider", async () => {
  const upstream = await aResponsesServer();
  const { events, client } = await aDeck(upstream.url);
  await askOverSocket(client("record"), "one");
  const answered = await askOverSocket(client("record"), "one", "two", "one");

  const completed = answered
    .map((event) => JSON.stringify(event))
    .filter((text) => text.includes("response.completed"));
  expect(completed.map((text) => /You asked: (\w+)/.exec(text)?.[1])).toEqual(["one", "two", "one"]);
  expect(upstream.asked).toHaveLength(2);
  expect(events.map(({ outcome }) => outcome)).toEqual(["recorded", "replayed", "recorded", "replayed"]);
});

test("a miss and an error of the provider are error events, and nothing is recorded", async () => {
  const upstream = await aResponsesServer();
  const { deck, client } = await aDeck(upstream.url);
  const [missed] = await askOverSocket(client("strict"), "not recorded");
  const [failed] = await askOverSocket(client("record"), "wrong");

  expect(missed).toMatchObject({ type: "error", status: 404, error: { code: "tapedeck_miss" } });
  expect(failed).toMatchObject({ type: "error", status: 400, error: { code: "invalid", message: "Wrong." } });
  expect(await deck.store.list()).toEqual([]);
});
