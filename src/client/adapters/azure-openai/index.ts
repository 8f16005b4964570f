/** Azure OpenAI, on the official SDK. */
import type { ChatClient } from "../../chat-client.ts";
import type { Surroundings } from "../../surroundings.ts";
import { chatClient, responsesClient } from "../openai/chat/client.ts";
import { AZURE } from "../openai/chat/request.ts";
import { type AzureConnection, azureSdk } from "../openai/sdk.ts";

export type { AzureConnection, OpenaiSdk } from "../openai/sdk.ts";

export interface AzureOptions extends AzureConnection {
  /** The deployment, unless `deployment` says another one. */
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

export function createAzureChat(options: AzureOptions): ChatClient {
  return chatClient(options, azureSdk(options), AZURE);
}

export function createAzureResponses(options: AzureOptions): ChatClient {
  return responsesClient(options, azureSdk(options), AZURE);
}
