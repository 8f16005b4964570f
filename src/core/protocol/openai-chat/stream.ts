import { readFrame } from "../../wire/sse.ts";
import { fieldsOf, jsonIn } from "../lenient.ts";
import type { StreamRules } from "../protocol.ts";
import { mayGetData } from "../stream-rules.ts";

const DONE = "[DONE]";

/**
 * A chat stream ends with `data: [DONE]`, also where `stream_options.include_usage` adds a last chunk without choices.
 * The official SDKs take any data that begins so. A failure on the way is a chunk with `error`.
 * Source: platform.openai.com/docs/api-reference/chat-streaming and openai-node 6.49 `core/streaming`, 2026-11.
 */
export const openaiChatStream: StreamRules = {
  isTerminal: (event) => readFrame(event).data?.startsWith(DONE) === true,
  isError: (event) => {
    const frame = readFrame(event);
    return frame.event === "error" || errorIn(frame.data) !== undefined;
  },
  mayBeTerminal: (beginning) =>
    mayGetData(beginning, (data) => DONE.startsWith(data) || data.startsWith(DONE)),
};

/** The failure that a chunk tells of. */
export function errorIn(data: string | undefined): unknown {
  if (data === undefined || !data.includes('"error"')) return undefined;
  return fieldsOf(jsonIn(data))["error"] || undefined;
}
