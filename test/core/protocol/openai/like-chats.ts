import { expect } from "vitest";
import { other, replies, thinking, type Given } from "../../../support/openai-like-case.ts";
import { fails, says, text } from "../../../support/protocol-case.ts";

const CHAT = "/v1/chat/completions";
const chat = { path: CHAT, operation: "chat.completions", label: "Hi" };

/** Chats and what goes with them. */
export const CHATS: readonly Given[] = [
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(thinking("A greeting."), text("Hi!"), {
        type: "media",
        media: "image",
        description: "image/png, 9 bytes",
        url: "data:image/png;base64,iVBORw0KGgo=",
      }),
      usage: {
        inputTokens: 9,
        outputTokens: 6,
        cachedInputTokens: 0,
        reasoningTokens: 3,
        costUsd: 0.000117,
      },
      finishReason: "stop",
      model: "anthropic/claude-sonnet-4.5",
      events: 5,
    },
  },
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "own-key",
    reads: {
      messages: says(thinking("Greet back."), text("Hi!")),
      usage: { inputTokens: 9, outputTokens: 6, costUsd: expect.closeTo(0.00021, 12) as number },
      finishReason: "stop",
      model: "openai/gpt-6-sol",
    },
  },
  {
    ...chat,
    provider: "openrouter",
    path: "/api/v1/chat/completions",
    fixture: "gave-up",
    ends: "failed",
    reads: {
      messages: [...says(text("H")), fails("Provider disconnected")],
      finishReason: "error",
      model: "anthropic/claude-sonnet-4.5",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "deepseek",
    path: "/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(thinking("Greet."), text("Hi!")),
      usage: { inputTokens: 70, outputTokens: 4, cachedInputTokens: 64, reasoningTokens: 2 },
      finishReason: "stop",
      model: "deepseek-chat",
      events: 4,
    },
  },
  {
    ...chat,
    provider: "deepseek",
    path: "/beta/chat/completions",
    fixture: "gave-up",
    ends: "failed",
    reads: {
      messages: says(text("H")),
      usage: { inputTokens: 5, outputTokens: 1 },
      finishReason: "insufficient_system_resource",
      model: "deepseek-chat",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "groq",
    path: "/openai/v1/chat/completions",
    fixture: "stream",
    reads: {
      messages: says(
        thinking("Look it up."),
        text("3 °C."),
        other("executed search", '{"query":"Oslo"}\n3 °C'),
      ),
      usage: { inputTokens: 40, outputTokens: 8, cachedInputTokens: 32 },
      finishReason: "stop",
      model: "groq/compound",
      events: 6,
    },
  },
  {
    ...chat,
    provider: "groq",
    path: "/openai/v1/chat/completions",
    fixture: "failed",
    ends: "failed",
    reads: {
      messages: [...says(text("3")), fails("over capacity")],
      model: "groq/compound",
      events: 3,
    },
  },
  {
    ...chat,
    provider: "xai",
    fixture: "stream",
    reads: {
      messages: says(
        thinking("Hm."),
        text("Hi!"),
        other("cites", "https://example.com/a\nhttps://example.com/b"),
      ),
      usage: {
        inputTokens: 12,
        outputTokens: 12,
        cachedInputTokens: 4,
        reasoningTokens: 10,
        costUsd: 0.0037756,
      },
      finishReason: "stop",
      model: "grok-4",
      events: 5,
    },
  },
  {
    ...chat,
    provider: "xai",
    fixture: "deferred",
    reads: { messages: [replies("to be fetched as f15c114e")] },
  },
  {
    provider: "xai",
    method: "GET",
    path: "/v1/chat/deferred-completion/f15c114e",
    fixture: "fetched",
    operation: "chat.deferred",
    label: "deferred chat f15c114e",
    reads: {
      messages: says(text("42.")),
      usage: { inputTokens: 27, outputTokens: 3 },
      finishReason: "stop",
      model: "grok-4",
    },
  },
  {
    ...chat,
    provider: "together",
    fixture: "stream",
    reads: {
      messages: says(text("Hi!")),
      usage: { inputTokens: 11, outputTokens: 2 },
      finishReason: "eos",
      model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      events: 3,
    },
  },
  {
    provider: "together",
    path: "/v1/rerank",
    fixture: "rerank",
    operation: "rerank",
    label: "Capital?",
    reads: {
      messages: [replies("document 1: 0.7\ndocument 0: 0.3")],
      usage: { inputTokens: 18 },
      model: "Salesforce/Llama-Rank-v1",
    },
  },
  {
    ...chat,
    provider: "huggingface",
    fixture: "failed",
    ends: "failed",
    reads: {
      messages: [...says(text("H")), fails("Request failed during generation: out of memory")],
      model: "m",
      events: 2,
    },
  },
  {
    ...chat,
    provider: "mistral",
    fixture: "stream",
    reads: {
      messages: says(thinking("Greet."), text("Hi!")),
      usage: { inputTokens: 9, outputTokens: 5 },
      finishReason: "stop",
      model: "magistral-medium-2509",
      events: 6,
    },
  },
];
