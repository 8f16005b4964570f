/** Anthropic, on the official SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { peer } from "../../check-options.ts";
import { CONNECTION, createAdapter, expectConnection, whenNeeded } from "../adapter.ts";
import type { AnthropicConnection } from "./sdk.ts";
import { anthropicChunks, anthropicReply } from "./reading.ts";
import { anthropicBody } from "./request.ts";
import { pickDefined } from "../../../core/pick-defined.ts";

export type { AnthropicConnection, AnthropicSdk } from "./sdk.ts";

export interface AnthropicOptions extends AnthropicConnection {
  readonly model: string;
}

/** @throws ChatError "validation" for options that are none */
export function createAnthropic(options: AnthropicOptions): ChatClient {
  expectConnection(options, { ...CONNECTION, client: true, model: true });
  const { model, client } = options;
  const sdk = whenNeeded(client, async () => {
    const { anthropicSdk } = await peer("@anthropic-ai/sdk", () => import("./sdk.ts"));
    return anthropicSdk(options);
  });
  return createAdapter({
    provider: "anthropic",
    model,
    body: (request, stream) => anthropicBody(request, model, stream),
    send: async (body, { signal, headers }) =>
      (await sdk()).messages.create(body, pickDefined({ signal, headers })),
    reply: anthropicReply,
    chunks: anthropicChunks,
  });
}
