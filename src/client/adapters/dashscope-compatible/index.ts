/** DashScope by its OpenAI-compatible API, with OpenAI's SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { expectConnection, findKey } from "../adapter.ts";
import {
  CHAT_OPTIONS,
  createSdkChatClient,
  type OpenaiChatOptions,
  loadOpenai,
} from "../openai/chat/client.ts";
import { DASHSCOPE_COMPATIBLE } from "../openai/chat/request.ts";
import { readEnvironmentVariables } from "../../environment.ts";

export type { OpenaiChatOptions } from "../openai/chat/client.ts";

const DEFAULT_ADDRESS = "https://dashscope.aliyuncs.com/compatible-mode/v1";

/** Makes a client. The default `baseURL` is DASHSCOPE_COMPATIBLE_BASE_URL or the provider's. @throws ChatError "validation" for invalid options */
export function createDashscopeCompatible(options: OpenaiChatOptions): ChatClient {
  expectConnection(options, CHAT_OPTIONS);
  const baseURL =
    options.baseURL ?? (readEnvironmentVariables()["DASHSCOPE_COMPATIBLE_BASE_URL"] || DEFAULT_ADDRESS);
  const apiKey = findKey(options, "DASHSCOPE_API_KEY");
  const sdk = loadOpenai(options, (loaded) => loaded.createOpenaiSdk({ ...options, baseURL, apiKey }));
  return createSdkChatClient(options, sdk, DASHSCOPE_COMPATIBLE);
}
