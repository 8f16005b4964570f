import { inTurn, times, type GeneratedCall, type Maker, type Makers, type Place } from "./place.ts";
import type { Voice } from "./voice.ts";
import { emptyRequest, jsonReply, jsonRequest, namedEvents, PIXEL, STYLES } from "./wire.ts";

const MODEL = "corpus-reason-1";

/** Formats: platform.openai.com/docs/api-reference/responses. */
const responses: Maker = (place) => [
  ...times(Math.ceil(place.most / 2), (index) => whole(place, index)),
  ...times(Math.ceil(place.most / 2), (index) => streamed(place, index)),
];

function bodyOf(voice: Voice, index: number): Record<string, unknown> {
  return { model: MODEL, ...inTurn(BODIES, index)(voice) };
}

const fn = (voice: Voice): object => ({
  type: "function",
  name: "read_tide",
  description: voice.sentence(),
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  strict: false,
});

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ input: voice.text(), instructions: voice.sentence() }),
  (voice) => ({
    input: [{ role: "user", content: [{ type: "input_text", text: voice.text() }] }],
    reasoning: { effort: "low", summary: "auto" },
  }),
  (voice) => ({
    input: [
      { role: "system", content: voice.sentence() },
      { role: "user", content: voice.text() },
    ],
    tools: [fn(voice)],
    tool_choice: "auto",
  }),
  (voice) => {
    const id = voice.id("call_");
    return {
      input: [
        { role: "user", content: voice.text() },
        { type: "function_call", call_id: id, name: "read_tide", arguments: JSON.stringify(voice.values()) },
        { type: "function_call_output", call_id: id, output: voice.text() },
      ],
      tools: [fn(voice)],
      tool_choice: { type: "function", name: "read_tide" },
    };
  },
  (voice) => ({
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: voice.text() },
          { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "low" },
        ],
      },
    ],
    max_output_tokens: voice.count(100, 900),
    metadata: { run: voice.id("") },
  }),
];

type BodyMaker = (voice: Voice) => Record<string, unknown>;

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

const message = (voice: Voice, content: readonly object[]): Item => ({
  id: voice.id("msg_"),
  type: "message",
  status: "completed",
  role: "assistant",
  content,
});

const text = (voice: Voice, annotations: readonly object[] = []): object => ({
  type: "output_text",
  text: voice.text(),
  annotations,
});

const calling = (voice: Voice): Item => ({
  id: voice.id("fc_"),
  type: "function_call",
  status: "completed",
  call_id: voice.id("call_"),
  name: "read_tide",
  arguments: JSON.stringify(voice.values()),
});

const thinking = (voice: Voice): Item => ({
  id: voice.id("rs_"),
  type: "reasoning",
  summary: [{ type: "summary_text", text: voice.text() }],
});

/** The outputs of an answer, one kind after the other. */
const OUTPUTS: readonly [OutputMaker, ...OutputMaker[]] = [
  (voice) => [message(voice, [text(voice)])],
  (voice) => [thinking(voice), message(voice, [text(voice)])],
  (voice) => [calling(voice)],
  (voice) => [
    {
      id: voice.id("ws_"),
      type: "web_search_call",
      status: "completed",
      action: { type: "search", query: voice.sentence() },
    },
    message(voice, [
      text(voice, [
        {
          type: "url_citation",
          url: "https://tides.example/nes",
          title: "Tides",
          start_index: 0,
          end_index: 4,
        },
      ]),
    ]),
  ],
  (voice) => [thinking(voice), calling(voice), calling(voice)],
  (voice) => [message(voice, [{ type: "refusal", refusal: voice.sentence() }])],
];

type OutputMaker = (voice: Voice) => readonly Item[];

function response(voice: Voice, more: object): Record<string, unknown> {
  const [asked, said] = [voice.count(5, 900), voice.count(5, 400)];
  return {
    id: voice.id("resp_"),
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    model: `${MODEL}-2026-11-01`,
    output: [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: asked,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens: said,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: asked + said,
    },
    ...more,
  };
}

/** Every now and then a limit ends an answer. */
function ended(index: number): object {
  return index % 9 === 8
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" };
}

function whole(place: Place, index: number): GeneratedCall {
  const { voice } = place;
  const output = inTurn(OUTPUTS, index)(voice);
  return {
    name: `whole-${index}`,
    request: jsonRequest(pathOf(place), bodyOf(voice, index)),
    reply: jsonReply(
      response(voice, { output, ...ended(index) }),
      inTurn(["indented", "compact", "spaced"], index),
    ),
  };
}

function streamed(place: Place, index: number): GeneratedCall {
  const { voice } = place;
  const request = jsonRequest(pathOf(place), { ...bodyOf(voice, index), stream: true });
  const output = inTurn(OUTPUTS, index)(voice);
  const done = response(voice, { output, ...ended(index) });
  const begun = { ...done, status: "in_progress", output: [], usage: null, incomplete_details: null };
  const events: { readonly type: string }[] = [
    { type: "response.created", response: begun } as { type: string },
    { type: "response.in_progress", response: begun } as { type: string },
    ...output.flatMap((item, at) => [...itemEvents(voice, item, at)]),
    { type: `response.${String(done["status"])}`, response: done } as { type: string },
  ];
  const numbered = events.map((event, sequence_number) => ({ ...event, sequence_number }));
  return { name: `stream-${index}`, request, reply: namedEvents(numbered, inTurn(STYLES, index)) };
}

/** Yields the events of an item: its start, its deltas, and the whole item again. */
function* itemEvents(voice: Voice, item: Item, output_index: number): Generator<{ readonly type: string }> {
  const at = { item_id: item.id, output_index };
  const open = { ...item, status: "in_progress", ...emptied(item) };
  yield told("response.output_item.added", { output_index, item: open });
  for (const [content_index, part] of list(item["content"]).entries()) {
    const [name, member] =
      part["type"] === "refusal" ? (["refusal", "refusal"] as const) : (["output_text", "text"] as const);
    const place = { ...at, content_index };
    yield told("response.content_part.added", { ...place, part: { ...part, [member]: "" } });
    for (const delta of voice.pieces(String(part[member])))
      yield told(`response.${name}.delta`, { ...place, delta });
    yield told(`response.${name}.done`, { ...place, [member]: part[member] });
    yield told("response.content_part.done", { ...place, part });
  }
  for (const [summary_index, part] of list(item["summary"]).entries()) {
    const place = { ...at, summary_index };
    yield told("response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } });
    for (const delta of voice.pieces(String(part["text"])))
      yield told("response.reasoning_summary_text.delta", { ...place, delta });
    yield told("response.reasoning_summary_part.done", { ...place, part });
  }
  if (typeof item["arguments"] === "string") {
    for (const delta of voice.pieces(item["arguments"]))
      yield told("response.function_call_arguments.delta", { ...at, delta });
    yield told("response.function_call_arguments.done", { ...at, arguments: item["arguments"] });
  }
  yield told("response.output_item.done", { output_index, item });
}

function emptied(item: Item): object {
  return {
    ...("content" in item && { content: [] }),
    ...("summary" in item && { summary: [] }),
    ...("arguments" in item && { arguments: "" }),
  };
}

const told = (type: string, more: object): { readonly type: string } => ({ type, ...more });

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? (value as readonly Readonly<Record<string, unknown>>[]) : [];
}

function pathOf({ provider, base }: Place): string {
  return provider === "azure" ? "/openai/responses?api-version=2025-04-01-preview" : `${base}/responses`;
}

const storedAt = ({ base, voice }: Place): string => `${base}/responses/${voice.id("resp_")}`;

/** Stored responses by id, and the operations that belong to them. */
export const responsesMakers: Makers = {
  responses,
  "responses.retrieve": (place) => [
    { ...whole(place, 1), request: emptyRequest("GET", storedAt(place)) },
    {
      ...streamed(place, 1),
      request: emptyRequest("GET", `${storedAt(place)}?stream=true&starting_after=2`),
    },
  ],
  "responses.cancel": (place) => [
    { ...whole(place, 0), request: emptyRequest("POST", `${storedAt(place)}/cancel`) },
  ],
  "responses.input_tokens": ({ base, voice }) => [
    {
      name: "counted",
      request: jsonRequest(`${base}/responses/input_tokens`, bodyOf(voice, 2)),
      reply: jsonReply({ object: "response.input_tokens", input_tokens: voice.count(9, 99) }),
    },
  ],
  "responses.compact": ({ base, voice }) => [
    {
      name: "compacted",
      request: jsonRequest(`${base}/responses/compact`, bodyOf(voice, 3)),
      reply: jsonReply({
        ...response(voice, { object: "response.compaction" }),
        output: [
          message(voice, [text(voice)]),
          { id: voice.id("cmp_"), type: "compaction", encrypted_content: voice.base64(90) },
        ],
      }),
    },
  ],
};
