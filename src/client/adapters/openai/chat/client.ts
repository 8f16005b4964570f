import { createAdapter } from "../../adapter.ts";
import { chatChunks, chatReply } from "./reading.ts";
import { chatBody, type ChatFlavour, COMPATIBLE, OPENAI } from "./request.ts";
import { responsesChunks, responsesReply } from "../responses/reading.ts";
import { responsesBody } from "../responses/request.ts";
import { type OpenaiConnection, type OpenaiSdk, openaiSdk, sdkOptions } from "../sdk.ts";
import type { ChatClient } from "../../../chat-client.ts";
import { realSurroundings, type Surroundings } from "../../../surroundings.ts";

export interface OpenaiChatOptions extends OpenaiConnection {
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

export function createOpenaiChat(options: OpenaiChatOptions): ChatClient {
  return chatClient(options, openaiSdk(options), OPENAI);
}

/**
 * Chat completions of whoever speaks like OpenAI: Groq, DeepSeek, Mistral, xAI, OpenRouter, a server of your own.
 * `provider` names it in errors and logs; `baseURL` is its address, `/v1` included.
 */
export function createCompatibleChat(
  options: OpenaiChatOptions & { readonly provider: string; readonly baseURL: string },
): ChatClient {
  const { provider } = options;
  return chatClient(options, openaiSdk(options), { ...COMPATIBLE, name: provider, provider });
}

export function chatClient(
  { model, surroundings }: Pick<OpenaiChatOptions, "model" | "surroundings">,
  sdk: OpenaiSdk,
  flavour: ChatFlavour,
): ChatClient {
  const around = realSurroundings(surroundings);
  return createAdapter({
    provider: flavour.provider,
    model,
    body: (request, stream) => chatBody(request, { model, flavour, stream }, (entry) => around.log(entry)),
    send: async (body, limits) => sdk.chat.completions.create(body, sdkOptions(limits)),
    reply: (raw, request) => chatReply(raw, request, flavour),
    chunks: (request) => chatChunks(request, flavour),
  });
}

export interface OpenaiResponsesOptions extends OpenaiConnection {
  readonly model: string;
}

export function createOpenaiResponses(options: OpenaiResponsesOptions): ChatClient {
  return responsesClient(options, openaiSdk(options), OPENAI);
}

export function responsesClient(
  { model }: Pick<OpenaiResponsesOptions, "model">,
  sdk: OpenaiSdk,
  { provider }: Pick<ChatFlavour, "provider">,
): ChatClient {
  return createAdapter({
    provider,
    model,
    body: (request, stream) => responsesBody(request, model, stream),
    send: async (body, limits) => sdk.responses.create(body, sdkOptions(limits)),
    reply: (raw) => responsesReply(raw),
    chunks: () => responsesChunks(),
  });
}
