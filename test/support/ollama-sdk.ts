import {
  Ollama,
  type ChatRequest,
  type ChatResponse,
  type GenerateRequest,
  type GenerateResponse,
} from "ollama";
import type { Reading, Sdk } from "./sdk-reading.ts";

/** The official `ollama` package. Its errors keep a text and a status, and no code. */
export const ollamaChatSdk: Sdk = {
  async read(fetch, asked) {
    return chatReading(await chats(ollamaClient(fetch), asked as ChatRequest));
  },
  statusOf,
};

export const ollamaGenerateSdk: Sdk = {
  async read(fetch, asked) {
    return generateReading(await generations(ollamaClient(fetch), asked as GenerateRequest));
  },
  statusOf,
};

export function ollamaClient(fetch?: typeof globalThis.fetch, host = "http://127.0.0.1:9"): Ollama {
  return new Ollama({ host, ...(fetch && { fetch }) });
}

/** Every response of the SDK, parsed: one, or those of a stream. */
export async function chats(client: Ollama, asked: ChatRequest): Promise<ChatResponse[]> {
  if (asked.stream !== true) return [await client.chat({ ...asked, stream: false })];
  const chunks: ChatResponse[] = [];
  for await (const chunk of await client.chat({ ...asked, stream: true })) chunks.push(chunk);
  return chunks;
}

async function generations(client: Ollama, asked: GenerateRequest): Promise<GenerateResponse[]> {
  if (asked.stream !== true) return [await client.generate({ ...asked, stream: false })];
  const chunks: GenerateResponse[] = [];
  for await (const chunk of await client.generate({ ...asked, stream: true })) chunks.push(chunk);
  return chunks;
}

function statusOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "status_code" in error
    ? error.status_code
    : undefined;
}

function chatReading(chunks: readonly ChatResponse[]): Reading {
  const messages = chunks.map(({ message }) => message);
  const message = {
    text: messages.map(({ content }) => content).join(""),
    thinking: messages.map(({ thinking }) => thinking ?? "").join(""),
    calls: messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ function: called }) => ({
        id: undefined,
        name: called.name,
        arguments: called.arguments,
      })),
    ),
  };
  return { messages: [message], ...factsOf(chunks) };
}

function generateReading(chunks: readonly GenerateResponse[]): Reading {
  const message = {
    text: chunks.map(({ response }) => response).join(""),
    thinking: chunks.map(({ thinking }) => thinking ?? "").join(""),
    calls: [],
  };
  return { messages: [message], ...factsOf(chunks) };
}

function factsOf(chunks: readonly (ChatResponse | GenerateResponse)[]): Omit<Reading, "messages"> {
  const last = chunks.at(-1);
  return {
    model: last?.model,
    finishReason: last?.done_reason,
    inputTokens: last?.prompt_eval_count,
    outputTokens: last?.eval_count,
  };
}
