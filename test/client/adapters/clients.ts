import { createAnthropic } from "../../../src/client/adapters/anthropic/index.ts";
import { createAzureChat, createAzureResponses } from "../../../src/client/adapters/azure-openai/index.ts";
import { createDashscope } from "../../../src/client/adapters/dashscope/index.ts";
import { createDashscopeCompatible } from "../../../src/client/adapters/dashscope-compatible/index.ts";
import { createGemini } from "../../../src/client/adapters/gemini/index.ts";
import { createOllama } from "../../../src/client/adapters/ollama/index.ts";
import {
  createCompatibleChat,
  createOpenaiChat,
  createOpenaiResponses,
} from "../../../src/client/adapters/openai/index.ts";
import type { ChatClient } from "../../../src/client/chat-client.ts";
import type { Surroundings } from "../../../src/client/surroundings.ts";

type Fetch = typeof globalThis.fetch;

const azure = { endpoint: "https://resource.openai.azure.com", apiVersion: "2025-04-01-preview" };

type Around = Partial<Surroundings>;

/** Every adapter on a fetch, by name. Keys are no keys. */
export const CLIENTS = {
  "openai chat": (fetch: Fetch, model = "m", surroundings: Around = {}): ChatClient =>
    createOpenaiChat({ model, fetch, apiKey: "k", surroundings }),
  "openai responses": (fetch: Fetch, model = "m"): ChatClient =>
    createOpenaiResponses({ model, fetch, apiKey: "k" }),
  "openai compatible": (fetch: Fetch, model = "m"): ChatClient =>
    createCompatibleChat({
      model,
      fetch,
      apiKey: "k",
      provider: "groq",
      baseURL: "https://api.groq.com/openai/v1",
    }),
  "azure chat": (fetch: Fetch, model = "m"): ChatClient =>
    createAzureChat({ model, fetch, apiKey: "k", ...azure }),
  "azure responses": (fetch: Fetch, model = "m"): ChatClient =>
    createAzureResponses({ model, fetch, apiKey: "k", ...azure }),
  anthropic: (fetch: Fetch, model = "m"): ChatClient => createAnthropic({ model, fetch, apiKey: "k" }),
  gemini: (fetch: Fetch, model = "m"): ChatClient => createGemini({ model, fetch, apiKey: "k" }),
  ollama: (fetch: Fetch, model = "m", surroundings: Around = {}): ChatClient =>
    createOllama({ model, fetch, surroundings }),
  dashscope: (fetch: Fetch, model = "m", surroundings: Around = {}): ChatClient =>
    createDashscope({ model, fetch, apiKey: "k", surroundings }),
  "dashscope compatible": (fetch: Fetch, model = "m", surroundings: Around = {}): ChatClient =>
    createDashscopeCompatible({ model, fetch, apiKey: "k", surroundings }),
} satisfies Record<string, (fetch: Fetch, model?: string, surroundings?: Around) => ChatClient>;

export type ClientName = keyof typeof CLIENTS;

/** A fetch that returns one reply, its body split as `pieces` defines, and keeps the requests. */
export function fetchGiving(
  reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array },
  asked: { url?: string; body?: unknown } = {},
  pieceSize = 700,
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    asked.url = request.url;
    const text = await request.text();
    asked.body = text === "" ? undefined : JSON.parse(text);
    const { status, contentType, body } = reply;
    return new Response(inPieces(body, pieceSize), { status, headers: { "content-type": contentType } });
  };
}

function inPieces(body: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= body.byteLength) return controller.close();
      controller.enqueue(body.slice(at, at + size));
      at += size;
    },
  });
}
