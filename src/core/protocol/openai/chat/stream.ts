import { readFrame } from "../../../base/wire/sse.ts";
import { type WireFamily, createChoicesCheck, createStreamRules } from "../../base/events.ts";
import type { StreamRules } from "../../base/protocol.ts";

const DONE = "[DONE]";
/** Matches each chunk that reports a failure. */
const FAILURE = /error|insufficient_system_resource/;

/**
 * Makes the rules of a chat stream. It ends with `data: [DONE]`, even if `stream_options.include_usage` adds a last chunk
 * without choices. The official SDKs accept any data that starts with it. llama.cpp, Hugging Face's router, and several
 * gateways omit it.
 * Source: platform.openai.com/docs/api-reference/chat-streaming and openai-node 6.49 `core/streaming`, 2026-11.
 */
export function createChatStream(family: WireFamily): StreamRules {
  const rules: Partial<StreamRules> = {
    isTerminal: (event) => readFrame(event).data?.startsWith(DONE) === true,
    isFinished: createChoicesCheck(family),
  };
  return createStreamRules(family, rules, FAILURE);
}
