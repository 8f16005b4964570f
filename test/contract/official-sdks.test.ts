import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import type { Ollama } from "ollama";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { aLastingFolder } from "../support/a-folder.ts";
import { geminiClient, generated } from "../support/gemini-sdk.ts";
import { chats, ollamaClient } from "../support/ollama-sdk.ts";
import { seeded } from "../support/seeded.ts";
import { trafficFixture } from "../support/traffic-fixture.ts";

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly gemini: GoogleGenAI;
  readonly ollama: Ollama;
}

/** A call of an official SDK, with the fixture (folder/name) whose reply the upstream gives, and its request. */
type Operation = readonly [
  name: string,
  reply: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- requests of fixtures fit the SDKs
  ask: (clients: Clients, asked: any) => Promise<unknown>,
];

const model = "m";
const messages = [{ role: "user" as const, content: "Hi" }];
const sound = (): Promise<File> => toFile(Buffer.from("RIFF"), "a.wav", { type: "audio/wav" });

/** One of each SDK in each form on the wire: JSON, events, lines, sound, text, forms, and no body. */
const OPERATIONS: readonly Operation[] = [
  [
    "openai chat.completions",
    "openai-chat/chat",
    ({ openai }) => openai.chat.completions.create({ model, messages }),
  ],
  [
    "openai chat.completions, stream",
    "openai-chat/tools",
    async ({ openai }) => all(await openai.chat.completions.create({ model, messages, stream: true })),
  ],
  [
    "openai responses, the SDK's own reading of a stream",
    "openai-responses/stream",
    ({ openai }) => openai.responses.stream({ model, input: "Hello" }).finalResponse(),
  ],
  [
    "openai responses.retrieve, stream",
    "openai-responses/stream",
    async ({ openai }) => all(await openai.responses.retrieve("resp_1", { stream: true })),
  ],
  [
    "openai embeddings, base64",
    "openai-embeddings/base64",
    ({ openai }) => openai.embeddings.create({ model, input: "a" }),
  ],
  [
    "openai audio.speech",
    "openai-audio/speech",
    async ({ openai }) => {
      const reply = await openai.audio.speech.create({ model, input: "Hi", voice: "alloy" });
      return Buffer.from(await reply.arrayBuffer()).toString("base64");
    },
  ],
  [
    "openai audio.transcriptions",
    "openai-audio/transcription",
    async ({ openai }) => openai.audio.transcriptions.create({ model, file: await sound() }),
  ],
  [
    "openai audio.transcriptions, text",
    "openai-audio/subtitles",
    async ({ openai }) =>
      openai.audio.transcriptions.create({ model, file: await sound(), response_format: "srt" }),
  ],
  ["openai models.list", "openai-resources/models", async ({ openai }) => all(await openai.models.list())],
  [
    "anthropic messages",
    "anthropic-messages/message",
    ({ anthropic }) => anthropic.messages.create({ model, max_tokens: 8, messages }),
  ],
  [
    "anthropic messages, stream",
    "anthropic-messages/thinking",
    ({ anthropic }) => anthropic.messages.stream({ model, max_tokens: 8, messages }).finalMessage(),
  ],
  [
    "anthropic messages.batches.retrieve",
    "anthropic-batches/batch",
    ({ anthropic }) => anthropic.messages.batches.retrieve("msgbatch_1"),
  ],
  ["gemini tools", "gemini/tools", ({ gemini }, asked) => generated(gemini, asked, false)],
  ["gemini stream-tools", "gemini/stream-tools", ({ gemini }, asked) => generated(gemini, asked, true)],
  ["ollama chat", "ollama/chat", ({ ollama }, asked) => chats(ollama, asked)],
  ["ollama stream", "ollama/tools", ({ ollama }, asked) => chats(ollama, asked)],
];

describe("the official SDKs", () => {
  const folder = aLastingFolder();
  let deck: Deck;
  let origin: string;
  let upstream: Server;
  let clients: { readonly direct: Clients; readonly record: Clients; readonly strict: Clients };
  let current: Operation | undefined;
  const asked: string[] = [];

  beforeAll(async () => {
    upstream = createServer((request, response) => void give(request, response));
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const upstreams = { openai: origin, anthropic: origin, gemini: origin, ollama: origin };
    deck = openDeck({ dir: folder.path, upstreams });
    const server = await deck.listen();
    const at = (mode: "record" | "strict"): Clients => {
      const { url } = server.admit(deck.createRun(mode));
      return clientsAt((provider) => `${url}/${provider}`);
    };
    clients = { direct: clientsAt(() => origin), record: at("record"), strict: at("strict") };
  });

  afterAll(async () => {
    upstream.close();
    upstream.closeAllConnections();
    await deck.close();
    folder.remove();
  });

  /** Gives the reply of the current operation, cut into pieces at places that a seed decides. */
  async function give(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const random = seeded(asked.length + 1);
    request.resume();
    asked.push(`${request.method} ${request.url}`);
    const { reply } = fixtureOf(current?.[1] ?? "");
    response.writeHead(reply.status, { "content-type": reply.contentType });
    for (let at = 0; at < reply.body.byteLength;) {
      const size = 1 + Math.floor(random() * 90);
      response.write(reply.body.subarray(at, at + size));
      at += size;
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  }

  test.each(OPERATIONS)(
    "%s: returns the same recorded and replayed as without Tapedeck",
    async (...operation) => {
      current = operation;
      const [, reply, ask] = operation;
      const request = fixtureOf(reply).asked;
      const before = asked.length;

      const direct = await ask(clients.direct, request);
      const recorded = await ask(clients.record, request);
      const replayed = await ask(clients.strict, request);

      expect(asked.length).toBe(before + 2);
      expect(direct).toBeTruthy();
      expect(plain(recorded)).toEqual(plain(direct));
      expect(plain(replayed)).toEqual(plain(direct));
    },
  );

  test("upload through a fetch in their own process as they do over a socket, and get the same recording", async () => {
    const openai = new OpenAI({
      apiKey: "unused in strict",
      baseURL: `${origin}/v1`,
      fetch: deck.fetch(deck.createRun("strict")),
      maxRetries: 0,
    });
    const before = asked.length;

    const heard = await openai.audio.transcriptions.create({ model, file: await sound() });

    expect(heard.text).toBe("Hello there.");
    expect(asked.length).toBe(before);
  });

  test("were tried in every operation", () => {
    const streams = OPERATIONS.filter(([name]) => name.includes("stream")).length;
    console.log(
      `▸ official SDKs, direct, recorded, and replayed: ${OPERATIONS.length} operations deep-equal, ${streams} of them streams`,
    );

    expect(asked).toHaveLength(2 * OPERATIONS.length);
  });
});

/** Events or entries, to the last page. */
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function clientsAt(addressOf: (provider: string) => string): Clients {
  const options = { apiKey: "sk-test-key-0123456789", maxRetries: 0 };
  return {
    openai: new OpenAI({ ...options, baseURL: `${addressOf("openai")}/v1` }),
    anthropic: new Anthropic({ ...options, baseURL: addressOf("anthropic") }),
    gemini: geminiClient(undefined, addressOf("gemini")),
    ollama: ollamaClient(undefined, addressOf("ollama")),
  };
}

function fixtureOf(reply: string) {
  const [folder = "", name = ""] = reply.split("/");
  return trafficFixture(folder, name, { provider: folder, path: "/" });
}

/** Removes the methods and request ids that an SDK adds, and the dates and lengths of a connection. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === "sdkHttpResponse" ? undefined : inner)),
  ) as unknown;
}
