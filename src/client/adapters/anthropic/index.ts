/** Anthropic, on the official SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { createAdapter } from "../adapter.ts";
import { type AnthropicConnection, anthropicSdk } from "./sdk.ts";
import { anthropicChunks, anthropicReply } from "./reading.ts";
import { anthropicBody } from "./request.ts";

export type { AnthropicConnection, AnthropicSdk } from "./sdk.ts";

export interface AnthropicOptions extends AnthropicConnection {
  readonly model: string;
}

export function createAnthropic(options: AnthropicOptions): ChatClient {
  const sdk = anthropicSdk(options);
  const { model } = options;
  return createAdapter({
    provider: "anthropic",
    model,
    body: (request, stream) => anthropicBody(request, model, stream),
    send: async (body, { signal, headers }) =>
      sdk.messages.create(body, { ...(signal && { signal }), ...(headers && { headers }) }),
    reply: anthropicReply,
    chunks: anthropicChunks,
  });
}
