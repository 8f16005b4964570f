import { member, type JsonObject } from "../../../json/json-tree.ts";
import { bytesOf } from "../../../wire/text.ts";
import type { ReplyDraft } from "../../protocol.ts";

const ID = "msg_tapedeck";
/** Nothing was spent. */
const USAGE = { input_tokens: 0, output_tokens: 0 };
const ENDED = { stop_reason: "end_turn", stop_sequence: null };

/** A message that says the draft's text. */
export function composeMessage(
  draft: ReplyDraft,
  body: JsonObject,
): { contentType: string; body: Uint8Array } {
  if (member(body, "stream") !== true) {
    const message = { ...head(body), content: [{ type: "text", text: draft.text }], ...ENDED, usage: USAGE };
    return { contentType: "application/json", body: bytesOf(JSON.stringify(message)) };
  }
  const frames = events(draft, body).map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}

function head(body: JsonObject): object {
  const model = member(body, "model");
  return { id: ID, type: "message", role: "assistant", model: typeof model === "string" ? model : "" };
}

/** A stream with an event a line of the text, so that it can be read and edited. */
function events(draft: ReplyDraft, body: JsonObject): { readonly type: string }[] {
  const open = { ...head(body), content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
  const lines = draft.text.split(/(?<=\n)/).filter((line) => line !== "");
  return [
    typed("message_start", { message: open }),
    typed("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...lines.map((text) => typed("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    typed("content_block_stop", { index: 0 }),
    typed("message_delta", { delta: ENDED, usage: { output_tokens: USAGE.output_tokens } }),
    typed("message_stop", {}),
  ];
}

function typed(type: string, rest: object): { readonly type: string } {
  return { type, ...rest };
}
