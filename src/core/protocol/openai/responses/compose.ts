import { bytesOf } from "../../../wire/text.ts";
import type { ReplyDraft } from "../../protocol.ts";

const ID = "resp_tapedeck";
const ITEM = "msg_tapedeck";
/** Nothing was spent. */
const USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** What of a request its reply repeats. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly background: boolean;
  /** The response that is asked for, where it has a name already. */
  readonly id?: string;
}

/** A response that says the draft's text. A background one is finished at once. */
export function composeResponse(draft: ReplyDraft, asked: Asked): { contentType: string; body: Uint8Array } {
  if (!asked.stream) {
    const whole = response(asked, "completed", [message("completed", [textPart(draft.text)])]);
    return { contentType: "application/json", body: bytesOf(JSON.stringify(whole)) };
  }
  const frames = events(draft, asked).map(
    ([type, rest], index) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...rest })}\n\n`,
  );
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}

function response({ model, background, id = ID }: Asked, status: string, output: readonly object[]): object {
  return {
    id,
    object: "response",
    created_at: 0,
    status,
    background,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: status === "completed" ? USAGE : null,
  };
}

function message(status: string, content: readonly object[]): object {
  return { id: ITEM, type: "message", status, role: "assistant", content };
}

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [] };
}

/** With an event a line of the text, so that the stream can be read and edited. */
function events({ text }: ReplyDraft, asked: Asked): (readonly [type: string, rest: object])[] {
  const item = { output_index: 0 };
  const part = { ...item, item_id: ITEM, content_index: 0 };
  const lines = text.split(/(?<=\n)/).filter((line) => line !== "");
  const said = message("completed", [textPart(text)]);
  return [
    ["response.created", { response: response(asked, "in_progress", []) }],
    ["response.in_progress", { response: response(asked, "in_progress", []) }],
    ["response.output_item.added", { ...item, item: message("in_progress", []) }],
    ["response.content_part.added", { ...part, part: textPart("") }],
    ...lines.map((delta) => ["response.output_text.delta", { ...part, delta, logprobs: [] }] as const),
    ["response.output_text.done", { ...part, text, logprobs: [] }],
    ["response.content_part.done", { ...part, part: textPart(text) }],
    ["response.output_item.done", { ...item, item: said }],
    ["response.completed", { response: response(asked, "completed", [said]) }],
  ];
}
