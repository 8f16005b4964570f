import Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import type { Ollama } from "ollama";
import OpenAI, { toFile } from "openai";
import { expect, onTestFinished, test } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { sendInPieces } from "../support/conformance.ts";
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

const OPTIONS = { apiKey: "sk-test-key-0123456789", maxRetries: 0 };

test("the official SDKs return the same without Tapedeck, recorded, and replayed, in each form on the wire", async () => {
  let current = fixtureOf("openai-chat/chat");
  let requests = 0;
  const random = seeded(1);
  const origin = await aServer((request, response) => {
    request.resume();
    requests += 1;
    void sendInPieces(response, current.reply, random, 200);
  });
  const upstreams = { openai: origin, anthropic: origin, gemini: origin, ollama: origin };
  const deck = openDeck({ dir: aFolder(), upstreams });
  onTestFinished(() => deck.close());
  const server = await deck.listen();
  const urls = (["record", "strict"] as const).map((mode) => server.admit(deck.createRun(mode)).url);
  const [direct, record, strict] = [undefined, ...urls].map((url) =>
    clientsAt((provider) => (url === undefined ? origin : `${url}/${provider}`)),
  );

  for (const [name, fixture, ask] of OPERATIONS) {
    current = fixtureOf(fixture);
    const results: unknown[] = [];
    for (const clients of [direct, record, strict]) results.push(plain(await ask(clients!, current.asked)));

    expect([name, Boolean(results[0])]).toEqual([name, true]);
    expect([name, ...results.slice(1)]).toEqual([name, results[0], results[0]]);
  }
  // A fetch in the process of the test reads the upload that was recorded over a socket.
  const fetch = deck.fetch(deck.createRun("strict"));
  const openai = new OpenAI({ ...OPTIONS, baseURL: `${origin}/v1`, fetch });
  const heard = await openai.audio.transcriptions.create({ model, file: await sound() });

  expect(heard.text).toBe("Hello there.");
  expect(requests).toBe(2 * OPERATIONS.length);
  const streams = OPERATIONS.filter(([name]) => name.includes("stream")).length;
  console.log(
    `▸ official SDKs, direct, recorded, and replayed: ${OPERATIONS.length} operations deep-equal, ${streams} of them streams`,
  );
});

/** Events or entries, to the last page. */
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function clientsAt(addressOf: (provider: string) => string): Clients {
  return {
    openai: new OpenAI({ ...OPTIONS, baseURL: `${addressOf("openai")}/v1` }),
    anthropic: new Anthropic({ ...OPTIONS, baseURL: addressOf("anthropic") }),
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
