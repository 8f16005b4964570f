import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { aLastingFolder } from "../support/a-folder.ts";
import { seeded } from "../support/seeded.ts";
import { trafficFixture } from "../support/traffic-fixture.ts";

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

interface Operation {
  readonly name: string;
  /** Folder and name of the fixture whose reply the upstream gives. */
  readonly reply: readonly [folder: string, name: string];
  ask(clients: Clients): Promise<unknown>;
}

const model = "m";
const messages = [{ role: "user" as const, content: "Hi" }];
const requests = [{ custom_id: "a", params: { model, max_tokens: 8, messages } }];
const sound = (): Promise<File> => toFile(Buffer.from("RIFF"), "a.wav", { type: "audio/wav" });
const picture = (): Promise<File> => toFile(Buffer.from("png"), "a.png", { type: "image/png" });

const OPERATIONS: readonly Operation[] = [
  {
    name: "openai chat.completions",
    reply: ["openai-chat", "chat"],
    ask: ({ openai }) => openai.chat.completions.create({ model, messages }),
  },
  {
    name: "openai chat.completions, stream",
    reply: ["openai-chat", "tools"],
    ask: async ({ openai }) => all(await openai.chat.completions.create({ model, messages, stream: true })),
  },
  {
    name: "openai responses",
    reply: ["openai-responses", "response"],
    ask: ({ openai }) => openai.responses.create({ model, input: "Hi" }),
  },
  {
    name: "openai responses, stream",
    reply: ["openai-responses", "tools"],
    ask: async ({ openai }) => all(await openai.responses.create({ model, input: "Hi", stream: true })),
  },
  {
    name: "openai responses, the SDK's own reading of a stream",
    reply: ["openai-responses", "stream"],
    ask: ({ openai }) => openai.responses.stream({ model, input: "Hello" }).finalResponse(),
  },
  {
    name: "openai responses.retrieve",
    reply: ["openai-responses", "response"],
    ask: ({ openai }) => openai.responses.retrieve("resp_1"),
  },
  {
    name: "openai responses.retrieve, stream",
    reply: ["openai-responses", "stream"],
    ask: async ({ openai }) => all(await openai.responses.retrieve("resp_1", { stream: true })),
  },
  {
    name: "openai responses.input_items",
    reply: ["openai-resources", "items"],
    ask: async ({ openai }) => all(await openai.responses.inputItems.list("resp_1")),
  },
  {
    name: "openai completions",
    reply: ["openai-completions", "completion"],
    ask: ({ openai }) => openai.completions.create({ model, prompt: "Hi" }),
  },
  {
    name: "openai completions, stream",
    reply: ["openai-completions", "stream"],
    ask: async ({ openai }) => all(await openai.completions.create({ model, prompt: "Hi", stream: true })),
  },
  {
    name: "openai embeddings",
    reply: ["openai-embeddings", "texts"],
    ask: ({ openai }) => openai.embeddings.create({ model, input: ["a", "b"], encoding_format: "float" }),
  },
  {
    name: "openai embeddings, base64",
    reply: ["openai-embeddings", "base64"],
    ask: ({ openai }) => openai.embeddings.create({ model, input: "a" }),
  },
  {
    name: "openai images.generations",
    reply: ["openai-images", "generation"],
    ask: ({ openai }) => openai.images.generate({ model, prompt: "A cassette" }),
  },
  {
    name: "openai images.generations, stream",
    reply: ["openai-images", "two"],
    ask: async ({ openai }) =>
      all(await openai.images.generate({ model, prompt: "A cassette", stream: true })),
  },
  {
    name: "openai images.edits",
    reply: ["openai-images", "edit"],
    ask: async ({ openai }) => openai.images.edit({ model, prompt: "Blue", image: await picture() }),
  },
  {
    name: "openai audio.speech",
    reply: ["openai-audio", "speech"],
    ask: async ({ openai }) => {
      const reply = await openai.audio.speech.create({ model, input: "Hi", voice: "alloy" });
      return Buffer.from(await reply.arrayBuffer()).toString("base64");
    },
  },
  {
    name: "openai audio.transcriptions",
    reply: ["openai-audio", "transcription"],
    ask: async ({ openai }) => openai.audio.transcriptions.create({ model, file: await sound() }),
  },
  {
    name: "openai audio.transcriptions, text",
    reply: ["openai-audio", "subtitles"],
    ask: async ({ openai }) =>
      openai.audio.transcriptions.create({ model, file: await sound(), response_format: "srt" }),
  },
  {
    name: "openai audio.transcriptions, stream",
    reply: ["openai-audio", "heard-stream"],
    ask: async ({ openai }) =>
      all(await openai.audio.transcriptions.create({ model, file: await sound(), stream: true })),
  },
  {
    name: "openai audio.translations",
    reply: ["openai-audio", "transcription"],
    ask: async ({ openai }) => openai.audio.translations.create({ model, file: await sound() }),
  },
  {
    name: "openai moderations",
    reply: ["openai-moderations", "texts"],
    ask: ({ openai }) => openai.moderations.create({ input: ["a", "b"] }),
  },
  {
    name: "openai files.create",
    reply: ["openai-resources", "upload"],
    ask: async ({ openai }) => openai.files.create({ file: await sound(), purpose: "user_data" }),
  },
  {
    name: "openai files.content",
    reply: ["openai-resources", "content"],
    ask: async ({ openai }) => (await openai.files.content("file-abc")).text(),
  },
  {
    name: "openai batches.create",
    reply: ["openai-resources", "batch"],
    ask: ({ openai }) =>
      openai.batches.create({ input_file_id: "f", endpoint: "/v1/responses", completion_window: "24h" }),
  },
  {
    name: "openai batches.retrieve",
    reply: ["openai-resources", "batch-state"],
    ask: ({ openai }) => openai.batches.retrieve("batch_1"),
  },
  {
    name: "openai models.list",
    reply: ["openai-resources", "models"],
    ask: async ({ openai }) => all(await openai.models.list()),
  },
  {
    name: "openai conversations.create",
    reply: ["openai-resources", "conversation"],
    ask: ({ openai }) => openai.conversations.create({ metadata: { topic: "greeting" } }),
  },
  {
    name: "openai conversations.items.list",
    reply: ["openai-resources", "items"],
    ask: async ({ openai }) => all(await openai.conversations.items.list("conv_1")),
  },
  {
    name: "anthropic messages",
    reply: ["anthropic-messages", "message"],
    ask: ({ anthropic }) => anthropic.messages.create({ model, max_tokens: 8, messages }),
  },
  {
    name: "anthropic messages, stream",
    reply: ["anthropic-messages", "thinking"],
    ask: ({ anthropic }) => anthropic.messages.stream({ model, max_tokens: 8, messages }).finalMessage(),
  },
  {
    name: "anthropic messages.count_tokens",
    reply: ["anthropic-batches", "count"],
    ask: ({ anthropic }) => anthropic.messages.countTokens({ model, messages }),
  },
  {
    name: "anthropic messages.batches.create",
    reply: ["anthropic-batches", "batch"],
    ask: ({ anthropic }) => anthropic.messages.batches.create({ requests }),
  },
  {
    name: "anthropic messages.batches.retrieve",
    reply: ["anthropic-batches", "batch"],
    ask: ({ anthropic }) => anthropic.messages.batches.retrieve("msgbatch_1"),
  },
  {
    name: "anthropic models.list",
    reply: ["openai-resources", "models"],
    ask: async ({ anthropic }) => all(await anthropic.models.list()),
  },
];

describe("the official SDKs", () => {
  const folder = aLastingFolder();
  let deck: Deck;
  let origin: string;
  let upstream: Server;
  let clients: { readonly record: Clients; readonly strict: Clients };
  let current: Operation | undefined;
  const asked: string[] = [];

  beforeAll(async () => {
    upstream = createServer((request, response) => void give(request, response));
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    deck = openDeck({ dir: folder.path, upstreams: { openai: origin, anthropic: origin } });
    const server = await deck.listen();
    const clientsOf = (mode: "record" | "strict"): Clients => {
      const { url } = server.admit(deck.createRun(mode));
      return {
        openai: new OpenAI({ apiKey: "sk-test-key-0123456789", baseURL: `${url}/openai/v1`, maxRetries: 0 }),
        anthropic: new Anthropic({
          apiKey: "sk-test-key-0123456789",
          baseURL: `${url}/anthropic`,
          maxRetries: 0,
        }),
      };
    };
    clients = { record: clientsOf("record"), strict: clientsOf("strict") };
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
    const [name = "", fixture = ""] = current?.reply ?? [];
    const { reply } = trafficFixture(name, fixture, { provider: "openai", path: "/" });
    response.writeHead(reply.status, { "content-type": reply.contentType });
    for (let at = 0; at < reply.body.byteLength;) {
      const size = 1 + Math.floor(random() * 90);
      response.write(reply.body.subarray(at, at + size));
      at += size;
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  }

  test.each(OPERATIONS.map((one) => [one.name, one] as const))(
    "%s: what is recorded and what is replayed are deep-equal, and only the first is asked for",
    async (_name, operation) => {
      current = operation;
      const before = asked.length;

      const recorded = await operation.ask(clients.record);
      const replayed = await operation.ask(clients.strict);

      expect(asked.length).toBe(before + 1);
      expect(recorded).toBeTruthy();
      expect(plain(replayed)).toEqual(plain(recorded));
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
    const streams = OPERATIONS.filter(({ name }) => name.includes("stream")).length;
    console.log(
      `▸ official SDKs, record against strict: ${OPERATIONS.length} operations deep-equal, ${streams} of them streams`,
    );

    expect(asked).toHaveLength(OPERATIONS.length);
  });
});

/** Events or entries, to the last page. */
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Values without the methods and request ids that an SDK adds. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
