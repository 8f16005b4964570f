import { CONNECTION, createAdapter, expectConnection, type RequestLimits, loadOnce } from "../../adapter.ts";
import { foldChat } from "./reading.ts";
import { buildChatBody, type ChatFlavour, COMPATIBLE, OPENAI } from "./request.ts";
import { FOLD_RESPONSES } from "../responses/reading.ts";
import { buildResponsesBody } from "../responses/request.ts";
import type * as OpenaiModule from "../sdk.ts";
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

/** Returns a function that gives the user's client, or makes one of the SDK. */
export const loadOpenai = (
  { client }: OpenaiConnection,
  make: (module: typeof OpenaiModule) => OpenaiSdk,
): (() => Promise<OpenaiSdk>) => loadOnce(client, () => import("../sdk.ts"), make);

/** Makes a client for OpenAI's chat completions. @throws ChatError "validation" for invalid options */
export function createOpenaiChat(options: OpenaiChatOptions): ChatClient {
  expectConnection(options, CHAT_OPTIONS);
  return createSdkChatClient(options, sdkOf(options), OPENAI);
}

const sdkOf = (connection: OpenaiConnection) =>
  loadOpenai(connection, (loaded) => loaded.createOpenaiSdk(connection));

/**
 * Makes a client for chat completions of a compatible provider: Groq, DeepSeek, Mistral, xAI, OpenRouter, or your own
 * server. `provider` is its name in errors and logs; `baseURL` includes `/v1`.
 * @throws ChatError "validation" for invalid options
 */
export function createCompatibleChat(
  options: OpenaiChatOptions & { readonly provider: string; readonly baseURL: string },
): ChatClient {
  expectConnection(options, { ...CHAT_OPTIONS, provider: true }, ["model", "provider", "baseURL"]);
  const { provider } = options;
  return createSdkChatClient(options, sdkOf(options), { ...COMPATIBLE, name: provider, provider });
}

export function createSdkChatClient(
  { model, surroundings }: Pick<OpenaiChatOptions, "model" | "surroundings">,
  sdk: () => Promise<OpenaiSdk>,
  flavour: ChatFlavour,
): ChatClient {
  const around = realSurroundings(surroundings);
  return createAdapter({
    provider: flavour.provider,
    model,
    body: (request, stream) =>
      buildChatBody(request, { model, flavour, stream }, (entry) => around.log(entry)),
    send: async (body, limits) => (await sdk()).chat.completions.create(body, sdkOptions(limits)),
    folding: (request, form) => foldChat(request, flavour, form),
  });
}

export interface OpenaiResponsesOptions extends OpenaiConnection {
  readonly model: string;
}

/** Makes a client for OpenAI's responses. @throws ChatError "validation" for invalid options */
export function createOpenaiResponses(options: OpenaiResponsesOptions): ChatClient {
  expectConnection(options, { ...OPENAI_CONNECTION, model: true });
  return createResponsesClient(options, sdkOf(options), OPENAI);
}

export function createResponsesClient(
  { model }: Pick<OpenaiResponsesOptions, "model">,
  sdk: () => Promise<OpenaiSdk>,
  { provider }: Pick<ChatFlavour, "provider">,
): ChatClient {
  return createAdapter({
    provider,
    model,
    body: (request, stream) => buildResponsesBody(request, model, stream),
    send: async (body, limits) => (await sdk()).responses.create(body, sdkOptions(limits)),
    folding: () => FOLD_RESPONSES,
  });
}
