import { readFrame } from "../../../wire/sse.ts";
import { fieldsOf, jsonIn } from "../../reading/lenient.ts";
import type { StreamRules } from "../../protocol.ts";
import { mayBeNamed } from "../../stream-rules.ts";

/**
 * A stream of a message ends with the event `message_stop`; a failure on the way is the event `error`.
 * Every event names itself twice, in `event` and in its data's `type`; the official SDK goes by `event`.
 * Source: docs.anthropic.com/en/docs/build-with-claude/streaming, 2026-11.
 */
export const anthropicMessageStream: StreamRules = {
  isTerminal: (event) => nameOf(event) === "message_stop",
  isError: (event) => nameOf(event) === "error",
  mayBeTerminal: (beginning) => mayBeNamed(beginning, "message_stop"),
};

function nameOf(frame: string): unknown {
  const { event, data } = readFrame(frame);
  return event ?? (data === undefined ? undefined : fieldsOf(jsonIn(data))["type"]);
}
