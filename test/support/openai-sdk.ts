import OpenAI, { APIError } from "openai";
import { argumentsValue, type ReadMessage, type Reading, type Sdk } from "./sdk-reading.ts";

/** The official `openai` package, with its own retries. */
export const openaiSdk: Sdk = {
  async read(fetch, asked) {
    const client = new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch });
    if (!("stream" in asked) || asked.stream !== true) {
      const body = asked as OpenAI.ChatCompletionCreateParamsNonStreaming;
      return readingOf(await client.chat.completions.create(body));
    }
    const thinking: string[] = [];
    let counted: OpenAI.CompletionUsage | undefined;
    const stream = client.chat.completions.stream(
      asked as Parameters<typeof client.chat.completions.stream>[0],
    );
    stream.on("chunk", ({ choices, usage }) => {
      // The package forgets usage where a later chunk has null; a caller sees it here.
      counted = usage ?? counted;
      for (const { index, delta } of choices) thinking[index] = (thinking[index] ?? "") + thinkingIn(delta);
    });
    const completion = await stream.finalChatCompletion();
    const reading = readingOf({ ...completion, ...(counted && { usage: counted }) });
    const messages = reading.messages.map((message, index) => ({
      ...message,
      thinking: thinking[index] ?? "",
    }));
    return { ...reading, messages };
  },
  codeOf: (error) => (error instanceof APIError ? error.code : undefined),
  statusOf: (error) => (error instanceof APIError ? (error.status as unknown) : undefined),
};

function readingOf({ choices, model, usage }: OpenAI.ChatCompletion): Reading {
  const reasons = new Set(choices.map((choice) => choice.finish_reason));
  return {
    messages: choices.map(({ message }) => messageOf(message)),
    model,
    finishReason: [...reasons].join(", "),
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
  };
}

function messageOf(message: OpenAI.ChatCompletionMessage): ReadMessage {
  return {
    text: message.content ?? "",
    thinking: thinkingIn(message),
    calls: (message.tool_calls ?? []).map((call) => {
      const called =
        call.type === "function" ? call.function : { name: call.custom.name, arguments: call.custom.input };
      return { id: call.id, name: called.name, arguments: argumentsValue(called.arguments) };
    }),
  };
}

/** Members of compatible providers, which the package passes on untyped. */
function thinkingIn(message: object): string {
  const { reasoning_content: long, reasoning } = message as {
    reasoning_content?: unknown;
    reasoning?: unknown;
  };
  return typeof long === "string" ? long : typeof reasoning === "string" ? reasoning : "";
}
