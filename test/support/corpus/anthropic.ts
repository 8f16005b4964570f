import { inTurn, times, type GeneratedCall, type Maker, type Place } from "./place.ts";
import type { Voice } from "./voice.ts";
import { jsonReply, jsonRequest, type MadeReply, namedEvents, PIXEL, STYLES } from "./wire.ts";

const MODEL = "corpus-poet-1";

/** Anthropic's messages, also of providers that serve its clients. Formats: docs.anthropic.com/en/api/messages. */
export const messages: Maker = (place) => [
  ...times(place.most, (index) => whole(place, index)),
  ...times(place.most, (index) => streamed(place, index)),
];

const tool = (voice: Voice): object => ({
  name: "read_tide",
  description: voice.sentence(),
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
});

function bodyOf(voice: Voice, index: number): Record<string, unknown> {
  return { model: MODEL, max_tokens: voice.count(100, 4_000), ...inTurn(BODIES, index)(voice) };
}

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ system: voice.sentence(), messages: [{ role: "user", content: voice.text() }] }),
  (voice) => ({
    messages: [{ role: "user", content: voice.text() }],
    tools: [tool(voice)],
    tool_choice: { type: "auto" },
  }),
  (voice) => ({
    system: [{ type: "text", text: voice.text(), cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: voice.text() },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        ],
      },
    ],
    temperature: 0.5,
  }),
  (voice) => {
    const id = voice.id("toolu_");
    return {
      messages: [
        { role: "user", content: voice.text() },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: voice.text(), signature: voice.base64(90) },
            { type: "tool_use", id, name: "read_tide", input: voice.values() },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: voice.text() }] },
      ],
      tools: [tool(voice)],
      tool_choice: { type: "tool", name: "read_tide" },
      thinking: { type: "enabled", budget_tokens: 1_024 },
    };
  },
  (voice) => ({
    messages: [
      { role: "user", content: voice.text() },
      { role: "assistant", content: voice.text() },
      { role: "user", content: [{ type: "text", text: voice.sentence() }] },
    ],
    stop_sequences: ["END"],
    metadata: { user_id: voice.id("u-") },
  }),
];

type BodyMaker = (voice: Voice) => Record<string, unknown>;
type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const says = (voice: Voice): Block => ({ type: "text", text: voice.text() });
const thinks = (voice: Voice): Block => ({
  type: "thinking",
  thinking: voice.text(),
  signature: voice.base64(90),
});
const calls = (voice: Voice): Block => ({
  type: "tool_use",
  id: voice.id("toolu_"),
  name: "read_tide",
  input: voice.values(),
});

/** Content of generated responses, one kind of block after the other. */
const CONTENTS: readonly [ContentMaker, ...ContentMaker[]] = [
  (voice) => [says(voice)],
  (voice) => [says(voice), calls(voice)],
  (voice) => [thinks(voice), says(voice)],
  (voice) => [calls(voice), calls(voice)],
  (voice) => [
    {
      ...says(voice),
      citations: [
        {
          type: "char_location",
          cited_text: voice.sentence(),
          document_index: 0,
          document_title: "Tides",
          start_char_index: 0,
          end_char_index: 9,
        },
      ],
    },
  ],
  (voice) => [{ type: "redacted_thinking", data: voice.base64(120) }, says(voice)],
];

type ContentMaker = (voice: Voice) => readonly Block[];

function message(voice: Voice, content: readonly Block[], stop_reason: string | null): object {
  return {
    id: voice.id("msg_"),
    type: "message",
    role: "assistant",
    model: `${MODEL}-20261101`,
    content,
    stop_reason,
    stop_sequence: null,
    usage: {
      input_tokens: voice.count(5, 900),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: voice.count(0, 50),
      output_tokens: voice.count(5, 400),
    },
  };
}

function reasonOf(content: readonly Block[]): string {
  return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

function whole({ base, voice }: Place, index: number): GeneratedCall {
  const content = inTurn(CONTENTS, index)(voice);
  return {
    name: `whole-${index}`,
    request: jsonRequest(`${base}/messages`, bodyOf(voice, index)),
    reply: jsonReply(
      message(voice, content, reasonOf(content)),
      inTurn(["compact", "spaced", "indented", "ascii"], index),
    ),
  };
}

function streamed({ base, voice }: Place, index: number): GeneratedCall {
  const events = eventsOf(voice, inTurn(CONTENTS, index)(voice));
  return {
    name: `stream-${index}`,
    request: jsonRequest(`${base}/messages`, { ...bodyOf(voice, index), stream: true }),
    reply: namedEvents(events, inTurn(STYLES, index)),
  };
}

/** The reply with this content. */
export function messageReply(voice: Voice, content: readonly Block[], isStream: boolean): MadeReply {
  if (isStream) return namedEvents(eventsOf(voice, content));
  return jsonReply(message(voice, content, reasonOf(content)));
}

function eventsOf(voice: Voice, content: readonly Block[]): readonly Block[] {
  return [
    { type: "message_start", message: message(voice, [], null) },
    ...content.flatMap((block, at) => [
      ...blockEvents(voice, block, at),
      ...(at === 0 ? [{ type: "ping" }] : []),
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: reasonOf(content), stop_sequence: null },
      usage: { output_tokens: voice.count(5, 400) },
    },
    { type: "message_stop" },
  ];
}

function* blockEvents(voice: Voice, block: Block, index: number): Generator<Block> {
  const told = (delta: object): Block => ({ type: "content_block_delta", index, delta });
  yield { type: "content_block_start", index, content_block: emptied(block) };
  if (block.type === "text") {
    for (const text of voice.pieces(String(block["text"]))) yield told({ type: "text_delta", text });
    for (const citation of (block["citations"] as readonly object[] | undefined) ?? [])
      yield told({ type: "citations_delta", citation });
  }
  if (block.type === "thinking") {
    for (const thinking of voice.pieces(String(block["thinking"])))
      yield told({ type: "thinking_delta", thinking });
    yield told({ type: "signature_delta", signature: block["signature"] });
  }
  if (block.type === "tool_use") {
    yield told({ type: "input_json_delta", partial_json: "" });
    for (const partial_json of voice.pieces(JSON.stringify(block["input"])))
      yield told({ type: "input_json_delta", partial_json });
  }
  yield { type: "content_block_stop", index };
}

function emptied(block: Block): Block {
  if (block.type === "text")
    return { type: "text", text: "", ...("citations" in block && { citations: [] }) };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}
