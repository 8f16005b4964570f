import { member, type JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { composedEvents, composedJson, linesOf } from "../../composed.ts";
import { chatReading, operationFrom } from "../../operation.ts";
import type { Composed, Protocol, ReplyDraft, StreamRules } from "../../protocol.ts";
import { fieldsOf, isFields, jsonIn } from "../../reading/lenient.ts";
import { isWholeWith } from "../../reading/reply.ts";
import { objectWith } from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { mayBeNamed, nameOf } from "../../stream-rules.ts";
import { failedEvent, isErrorReason } from "../failure.ts";
import { messageFrom } from "./message.ts";
import { projectChat } from "./reply.ts";

/**
 * A stream ends with the event `message-end`, behind which some servers say `[DONE]`; with an error in it, or the
 * reason ERROR, the answer failed. Source: docs.cohere.com/v2/docs/streaming and cohere-python 5 `v2/client`, 2026-11.
 */
const cohereStream: StreamRules = {
  isTerminal: (event) => nameOf(event) === "message-end",
  endsWithBody: true,
  isError: (event) => {
    const fields = fieldsOf(jsonIn(readFrame(event).data ?? ""));
    const delta = fieldsOf(fields["delta"]);
    return (
      failedEvent(fields, "type") !== undefined ||
      Boolean(delta["error"]) ||
      isErrorReason(delta["finish_reason"])
    );
  },
  mayBeTerminal: (beginning) => mayBeNamed(beginning, "message-end"),
};

/** Cohere's chat, version 2. Source: docs.cohere.com/reference/chat, 2026-11. */
export const cohereChat: Protocol = operationFrom({
  operation: "chat",
  path: "/v2/chat",
  body: objectWith("A chat", "model", "messages"),
  ...chatReading(messageFrom),
  settings: allBut("model", "messages", "stream"),
  project: projectChat,
  stream: cohereStream,
  compose,
  isWhole: isWholeWith(({ message }) => isFields(message)),
});

const ID = "tapedeck";
/** Nothing was spent. */
const END = {
  finish_reason: "COMPLETE",
  usage: {
    billed_units: { input_tokens: 0, output_tokens: 0 },
    tokens: { input_tokens: 0, output_tokens: 0 },
  },
};

function compose(draft: ReplyDraft, body: JsonObject): Composed {
  if (member(body, "stream") !== true) {
    const message = { role: "assistant", content: [{ type: "text", text: draft.text }] };
    return composedJson({ id: ID, message, ...END });
  }
  const open = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  return composedEvents([
    { id: ID, type: "message-start", delta: { message: open } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...linesOf(draft.text).map((text) => ({
      type: "content-delta",
      index: 0,
      delta: { message: { content: { text } } },
    })),
    { type: "content-end", index: 0 },
    { type: "message-end", delta: END },
  ]);
}
