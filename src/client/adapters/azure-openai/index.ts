/** Azure OpenAI, on the official SDK. */
import type { ChatClient } from "../../chat-client.ts";
import type { Surroundings } from "../../surroundings.ts";
import { chatClient } from "../openai/chat/client.ts";
import { AZURE } from "../openai/chat/flavour.ts";
import type { AzureConnection } from "../openai/connection.ts";
import { responsesClient } from "../openai/responses/client.ts";
import { azureSdk } from "../openai/sdk.ts";

export type { AzureConnection, OpenaiSdk } from "../openai/connection.ts";

export interface AzureOptions extends AzureConnection {
  /** The deployment, unless `deployment` says another one. */
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

/** Chat completions of a deployment. */
export function createAzureChat(options: AzureOptions): ChatClient {
  return chatClient(options, azureSdk(options), AZURE);
}

/** Responses of a deployment. */
export function createAzureResponses(options: AzureOptions): ChatClient {
  return responsesClient(options, azureSdk(options), AZURE);
}
