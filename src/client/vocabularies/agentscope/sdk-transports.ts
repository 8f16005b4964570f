import { fieldsOf, listOf, type Fields } from "../../../core/protocol/reading/lenient.ts";
import type { AnthropicConnection } from "../../adapters/anthropic/connection.ts";
import type { DashscopeConnection } from "../../adapters/dashscope/connection.ts";
import { sendDashscope, type DashscopeCall } from "../../adapters/dashscope/send.ts";
import type { GeminiConnection } from "../../adapters/gemini/connection.ts";
import type { OllamaConnection } from "../../adapters/ollama/connection.ts";
import type { AzureConnection, OpenaiSdk } from "../../adapters/openai/connection.ts";
import { isStream, type ChatTransport } from "./chat-transport.ts";
import type { DashscopeTransport } from "./dashscope-model.ts";
import type { GeminiTransport } from "./gemini-model.ts";
import type { OpenaiTransport } from "./openai-model.ts";

// An SDK is loaded when the first call needs it, so that a model of one provider wants no other provider's.

export function lazyOpenaiTransport(kind: "openai" | "azure", connection: AzureConnection): OpenaiTransport {
  let made: Promise<OpenaiSdk> | undefined;
  const sdk = async (): Promise<OpenaiSdk> => {
    const { openaiSdk, azureSdk } = await import("../../adapters/openai/sdk.ts");
    return kind === "azure" ? azureSdk(connection) : openaiSdk(connection);
  };
  const create: ChatTransport = async (args, signal) => {
    made ??= sdk();
    const { chat } = await made;
    return chat.completions.create(args, { ...(signal && { signal }) });
  };
  return {
    create,
    parse: async (args, signal) => withParsed(await create(args, signal)),
    stream: async (args, signal) => {
      const answer = await create({ ...args, stream: true }, signal);
      return isStream(answer) ? answer : once(answer);
    },
  };
}

export function lazyAnthropicTransport(connection: AnthropicConnection): ChatTransport {
  return async (args, signal) => {
    const { anthropicSdk } = await import("../../adapters/anthropic/sdk.ts");
    return anthropicSdk(connection).messages.create(args, { ...(signal && { signal }) });
  };
}

export function lazyGeminiTransport(connection: GeminiConnection): GeminiTransport {
  const asked = (args: Fields, signal: AbortSignal | undefined): Fields => {
    const { thinkingConfig, ...config } = fieldsOf(args["config"]);
    const known = thinkingConfig === null ? config : { thinkingConfig, ...config };
    return { ...args, config: { ...known, ...(signal && { abortSignal: signal }) } };
  };
  const models = async () => {
    const { geminiSdk } = await import("../../adapters/gemini/sdk.ts");
    return geminiSdk(connection).models;
  };
  return {
    generateContent: async (args, signal) => (await models()).generateContent(asked(args, signal)),
    generateContentStream: async (args, signal) =>
      (await models()).generateContentStream(asked(args, signal)),
  };
}

export function lazyOllamaTransport(connection: OllamaConnection): ChatTransport {
  return async (args, signal) => {
    const { ollamaSdk } = await import("../../adapters/ollama/sdk.ts");
    const { options, ...rest } = args;
    return ollamaSdk(connection, { signal }).chat({ ...rest, ...(options !== null && { options }) });
  };
}

export function lazyDashscopeTransport(connection: DashscopeConnection): DashscopeTransport {
  const via =
    (endpoint: DashscopeCall["endpoint"]): ChatTransport =>
    (args, signal) => {
      const { api_key: apiKey, model, messages, stream, ...parameters } = args;
      const key = typeof apiKey === "string" ? apiKey : undefined;
      const call = {
        endpoint,
        model: String(model),
        messages,
        parameters,
        stream: stream === true,
        apiKey: key,
      };
      return sendDashscope(connection, call, { signal });
    };
  return { generation: via("generation"), multimodal: via("multimodal") };
}

/** The first choice's text, read as JSON, beside it; null where it is none. */
function withParsed(completion: unknown): unknown {
  const fields = fieldsOf(completion);
  const [first, ...rest] = listOf(fields["choices"]);
  const message = fieldsOf(fieldsOf(first)["message"]);
  const parsed = jsonOrNull(message["content"]);
  return { ...fields, choices: [{ ...fieldsOf(first), message: { ...message, parsed } }, ...rest] };
}

function jsonOrNull(text: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(text));
    return value;
  } catch {
    return null;
  }
}

async function* once(answer: unknown): AsyncGenerator<unknown, void, void> {
  yield answer;
}
