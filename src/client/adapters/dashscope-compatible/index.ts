/** DashScope over its OpenAI-compatible wire, on OpenAI's SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { keyFor } from "../adapter.ts";
import { chatClient, type OpenaiChatOptions } from "../openai/chat/client.ts";
import { DASHSCOPE_COMPATIBLE } from "../openai/chat/request.ts";
import { openaiSdk } from "../openai/sdk.ts";

export type { OpenaiChatOptions } from "../openai/chat/client.ts";

const DEFAULT_ADDRESS = "https://dashscope.aliyuncs.com/compatible-mode/v1";

/** `baseURL` is DASHSCOPE_COMPATIBLE_BASE_URL or the provider's own where it is not given. */
export function createDashscopeCompatible(options: OpenaiChatOptions): ChatClient {
  const baseURL = options.baseURL ?? (process.env["DASHSCOPE_COMPATIBLE_BASE_URL"] || DEFAULT_ADDRESS);
  const apiKey = keyFor(options, "DASHSCOPE_API_KEY");
  return chatClient(options, openaiSdk({ ...options, baseURL, apiKey }), DASHSCOPE_COMPATIBLE);
}
