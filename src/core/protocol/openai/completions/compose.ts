import { member, type JsonObject } from "../../../json/json-tree.ts";
import { bytesOf } from "../../../wire/text.ts";
import type { ReplyDraft } from "../../protocol.ts";

/** Nothing was spent. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A completion that says the draft's text. */
export function composeCompletion(
  draft: ReplyDraft,
  body: JsonObject,
): { contentType: string; body: Uint8Array } {
  const model = member(body, "model");
  const head = {
    id: "cmpl-tapedeck",
    object: "text_completion",
    created: 0,
    model: typeof model === "string" ? model : "",
  };
  const choice = (text: string, finish_reason: string | null): object => ({
    ...head,
    choices: [{ index: 0, text, logprobs: null, finish_reason }],
  });
  if (member(body, "stream") !== true) {
    const whole = { ...choice(draft.text, "stop"), usage: USAGE };
    return { contentType: "application/json", body: bytesOf(JSON.stringify(whole)) };
  }
  const counted = member(member(body, "stream_options"), "include_usage") === true;
  const lines = draft.text.split(/(?<=\n)/).filter((line) => line !== "");
  const chunks = [
    ...lines.map((line) => choice(line, null)),
    choice("", "stop"),
    ...(counted ? [{ ...head, choices: [], usage: USAGE }] : []),
  ];
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return {
    contentType: "text/event-stream; charset=utf-8",
    body: bytesOf(frames.map((data) => `data: ${data}\n\n`).join("")),
  };
}
