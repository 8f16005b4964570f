import {
  CONNECTION,
  createAdapter,
  expectConnection,
  type RequestLimits,
  whenNeeded,
} from "../../adapter.ts";
import { chatChunks, chatReply } from "./reading.ts";
import { chatBody, type ChatFlavour, COMPATIBLE, OPENAI } from "./request.ts";
import { responsesChunks, responsesReply } from "../responses/reading.ts";
import { responsesBody } from "../responses/request.ts";
import { peer } from "../../../check-options.ts";
import type { OpenaiConnection, OpenaiSdk } from "../sdk.ts";
import type { ChatClient } from "../../../chat-client.ts";
import { realSurroundings, type Surroundings } from "../../../surroundings.ts";
import { pickDefined } from "../../../../core/base/pick-defined.ts";

export interface OpenaiChatOptions extends OpenaiConnection {
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

const sdkOptions = ({ signal, headers }: RequestLimits): object => pickDefined({ signal, headers });

export const OPENAI_CONNECTION = { ...CONNECTION, client: true, organization: true, project: true } as const;
export const CHAT_OPTIONS = { ...OPENAI_CONNECTION, model: true, surroundings: true } as const;

/** The module with the SDK, when it is needed. @throws ChatError "validation" that says what to install */
export const openaiModule = () => peer(() => import("../sdk.ts"));

/** @throws ChatError "validation" for options that are none */
export function createOpenaiChat(options: OpenaiChatOptions): ChatClient {
  expectConnection(options, CHAT_OPTIONS);
  return chatClient(options, sdkOf(options), OPENAI);
}

function sdkOf(connection: OpenaiConnection): () => Promise<OpenaiSdk> {
  return whenNeeded(connection.client, async () => (await openaiModule()).openaiSdk(connection));
}

/**
 * Chat completions of whoever speaks like OpenAI: Groq, DeepSeek, Mistral, xAI, OpenRouter, a server of your own.
 * `provider` names it in errors and logs; `baseURL` is its address, `/v1` included.
 * @throws ChatError "validation" for options that are none
 */
export function createCompatibleChat(
  options: OpenaiChatOptions & { readonly provider: string; readonly baseURL: string },
): ChatClient {
  expectConnection(options, { ...CHAT_OPTIONS, provider: true }, ["model", "provider", "baseURL"]);
  const { provider } = options;
  return chatClient(options, sdkOf(options), { ...COMPATIBLE, name: provider, provider });
}

export function chatClient(
  { model, surroundings }: Pick<OpenaiChatOptions, "model" | "surroundings">,
  sdk: () => Promise<OpenaiSdk>,
  flavour: ChatFlavour,
): ChatClient {
  const around = realSurroundings(surroundings);
  return createAdapter({
    provider: flavour.provider,
    model,
    body: (request, stream) => chatBody(request, { model, flavour, stream }, (entry) => around.log(entry)),
    send: async (body, limits) => (await sdk()).chat.completions.create(body, sdkOptions(limits)),
    reply: (raw, request) => chatReply(raw, request, flavour),
    chunks: (request) => chatChunks(request, flavour),
  });
}

export interface OpenaiResponsesOptions extends OpenaiConnection {
  readonly model: string;
}

/** @throws ChatError "validation" for options that are none */
export function createOpenaiResponses(options: OpenaiResponsesOptions): ChatClient {
  expectConnection(options, { ...OPENAI_CONNECTION, model: true });
  return responsesClient(options, sdkOf(options), OPENAI);
}

export function responsesClient(
  { model }: Pick<OpenaiResponsesOptions, "model">,
  sdk: () => Promise<OpenaiSdk>,
  { provider }: Pick<ChatFlavour, "provider">,
): ChatClient {
  return createAdapter({
    provider,
    model,
    body: (request, stream) => responsesBody(request, model, stream),
    send: async (body, limits) => (await sdk()).responses.create(body, sdkOptions(limits)),
    reply: (raw) => responsesReply(raw),
    chunks: () => responsesChunks(),
  });
}
