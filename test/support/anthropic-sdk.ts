import Anthropic, { APIError } from "@anthropic-ai/sdk";
import type { Reading, Sdk } from "./sdk-reading.ts";

/** The official `@anthropic-ai/sdk` package, with its own retries. */
export const anthropicSdk: Sdk = {
  ...errors(),
  async read(fetch, asked) {
    const { messages } = clientWith(fetch);
    if (!("stream" in asked) || asked.stream !== true)
      return readingOf(await messages.create(asked as Anthropic.MessageCreateParamsNonStreaming));
    return readingOf(await messages.stream(asked as Anthropic.MessageStreamParams).finalMessage());
  },
};

/** The same with its beta namespace, which supports the inputs of server-side tools. */
export const anthropicBetaSdk: Sdk = {
  ...errors(),
  async read(fetch, asked) {
    const { messages } = clientWith(fetch).beta;
    if (!("stream" in asked) || asked.stream !== true)
      return readingOf(await messages.create(asked as Anthropic.Beta.MessageCreateParamsNonStreaming));
    return readingOf(await messages.stream(asked as Parameters<typeof messages.stream>[0]).finalMessage());
  },
};

function clientWith(fetch: typeof globalThis.fetch): Anthropic {
  return new Anthropic({ apiKey: "none", baseURL: "http://127.0.0.1:9", fetch });
}

function errors(): Pick<Sdk, "codeOf" | "statusOf"> {
  return {
    codeOf: (error) => (error instanceof APIError ? error.type : undefined),
    statusOf: (error) => (error instanceof APIError ? (error.status as unknown) : undefined),
  };
}

function readingOf({
  content,
  model,
  stop_reason: reason,
  usage,
}: Anthropic.Message | Anthropic.Beta.BetaMessage): Reading {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    messages: [
      {
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
        calls: content.flatMap((block) =>
          "input" in block ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
        ),
      },
    ],
    model,
    finishReason: reason ?? undefined,
    inputTokens: usage.input_tokens + cached,
    outputTokens: usage.output_tokens,
  };
}
