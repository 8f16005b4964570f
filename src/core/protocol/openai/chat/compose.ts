import { member, type JsonObject } from "../../../json/json-tree.ts";
import { bytesOf } from "../../../wire/text.ts";
import type { ReplyDraft } from "../../protocol.ts";
import { valueAt } from "../../reading/request.ts";

const ID = "chatcmpl-tapedeck";
/** Nothing was spent. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A completion that says the draft's text, for every choice that was asked for. */
export function composeChat(draft: ReplyDraft, body: JsonObject): { contentType: string; body: Uint8Array } {
  if (member(body, "stream") !== true) {
    const completion = { ...head(body, "chat.completion"), choices: wholeChoices(draft, body), usage: USAGE };
    return { contentType: "application/json", body: bytesOf(JSON.stringify(completion)) };
  }
  const frames = [...chunks(draft, body).map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return {
    contentType: "text/event-stream; charset=utf-8",
    body: bytesOf(frames.map((data) => `data: ${data}\n\n`).join("")),
  };
}

function head(body: JsonObject, object: string): object {
  const model = member(body, "model");
  return { id: ID, object, created: 0, model: typeof model === "string" ? model : "" };
}

function wholeChoices(draft: ReplyDraft, body: JsonObject): object[] {
  const message = { role: "assistant", content: draft.text, refusal: null };
  return indexes(body).map((index) => ({ index, message, logprobs: null, finish_reason: "stop" }));
}

/** A stream with an event a line of the text, so that it can be read and edited. */
function chunks(draft: ReplyDraft, body: JsonObject): object[] {
  const counted = member(member(body, "stream_options"), "include_usage") === true;
  const chunk = (choices: readonly object[]): object => ({
    ...head(body, "chat.completion.chunk"),
    choices,
    ...(counted && { usage: null }),
  });
  const all = (delta: object, finish_reason: string | null): object =>
    chunk(indexes(body).map((index) => ({ index, delta, logprobs: null, finish_reason })));
  const lines = draft.text.split(/(?<=\n)/);
  return [
    all({ role: "assistant", content: "", refusal: null }, null),
    ...lines.filter((line) => line !== "").map((line) => all({ content: line }, null)),
    all({}, "stop"),
    ...(counted ? [{ ...chunk([]), usage: USAGE }] : []),
  ];
}

/** The provider allows up to 128 choices. */
function indexes(body: JsonObject): number[] {
  const asked = valueAt(body, "n");
  const count = typeof asked === "number" && Number.isInteger(asked) ? Math.min(Math.max(asked, 1), 128) : 1;
  return Array.from({ length: count }, (_, index) => index);
}
