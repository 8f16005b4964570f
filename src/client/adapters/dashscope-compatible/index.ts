/** DashScope over its OpenAI-compatible wire, on OpenAI's SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { expectConnection, keyFor, whenNeeded } from "../adapter.ts";
import { CHAT_OPTIONS, chatClient, type OpenaiChatOptions, openaiModule } from "../openai/chat/client.ts";
import { DASHSCOPE_COMPATIBLE } from "../openai/chat/request.ts";
import { environmentVariables } from "../../environment.ts";

export type { OpenaiChatOptions } from "../openai/chat/client.ts";

const DEFAULT_ADDRESS = "https://dashscope.aliyuncs.com/compatible-mode/v1";

/** `baseURL` is DASHSCOPE_COMPATIBLE_BASE_URL or the provider's own where it is not given. @throws ChatError "validation" for options that are none */
export function createDashscopeCompatible(options: OpenaiChatOptions): ChatClient {
  expectConnection(options, CHAT_OPTIONS);
  const baseURL =
    options.baseURL ?? (environmentVariables()["DASHSCOPE_COMPATIBLE_BASE_URL"] || DEFAULT_ADDRESS);
  const apiKey = keyFor(options, "DASHSCOPE_API_KEY");
  const sdk = whenNeeded(options.client, async () =>
    (await openaiModule()).openaiSdk({ ...options, baseURL, apiKey }),
  );
  return chatClient(options, sdk, DASHSCOPE_COMPATIBLE);
}
