import { readFrame } from "../../../base/wire/sse.ts";
import type { WireFamily } from "../../base/events.ts";
import type { StreamRules } from "../../base/protocol.ts";
import { mayGetData } from "../../base/stream-rules.ts";
import { everyChoiceFinished, streamRules } from "../../base/whole.ts";

const DONE = "[DONE]";
/** In every chunk that reports a failure. Others need not be parsed, which is most of the time that judging takes. */
const FAILURE = /error|insufficient_system_resource/;

/**
 * A chat stream ends with `data: [DONE]`, also where `stream_options.include_usage` adds a last chunk without choices.
 * The official SDKs take any data that begins so. llama.cpp, Hugging Face's router, and several gateways leave it out.
 * Source: platform.openai.com/docs/api-reference/chat-streaming and openai-node 6.49 `core/streaming`, 2026-11.
 */
export function chatStream(family: WireFamily): StreamRules {
  const rules = streamRules(family);
  return {
    ...rules,
    isError: (event) => FAILURE.test(event) && rules.isError(event),
    isTerminal: (event) => readFrame(event).data?.startsWith(DONE) === true,
    mayBeTerminal: (beginning) =>
      mayGetData(beginning, (data) => DONE.startsWith(data) || data.startsWith(DONE)),
    isFinished: everyChoiceFinished(family),
  };
}
