import type { ChatClient } from "../../chat-client.ts";
import type { Surroundings } from "../../surroundings.ts";
import { expectConnection } from "../adapter.ts";
import {
  createSdkChatClient,
  OPENAI_CONNECTION,
  loadOpenai,
  createResponsesClient,
} from "../openai/chat/client.ts";
import { AZURE } from "../openai/chat/request.ts";
import type { AzureConnection, OpenaiSdk } from "../openai/sdk.ts";

export type { AzureConnection, OpenaiSdk } from "../openai/sdk.ts";

export interface AzureOptions extends AzureConnection {
  /** Deployment, unless `deployment` is set. */
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

/** Makes a client for chat completions on Azure. @throws ChatError "validation" for invalid options */
export function createAzureChat(options: AzureOptions): ChatClient {
  return createSdkChatClient(options, sdkOf(options), AZURE);
}

/** Makes a client for responses on Azure. @throws ChatError "validation" for invalid options */
export function createAzureResponses(options: AzureOptions): ChatClient {
  return createResponsesClient(options, sdkOf(options), AZURE);
}

function sdkOf(options: AzureOptions): () => Promise<OpenaiSdk> {
  const own = {
    endpoint: true,
    apiVersion: true,
    deployment: true,
    model: true,
    surroundings: true,
  } as const;
  expectConnection(options, { ...OPENAI_CONNECTION, ...own });
  return loadOpenai(options, (loaded) => loaded.createAzureSdk(options));
}
