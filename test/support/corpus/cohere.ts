import { inTurn, times, type GeneratedCall, type Maker, type Makers } from "./place.ts";
import type { Voice } from "./voice.ts";
import { jsonReply, jsonRequest, linesReply, namedEvents, STYLES } from "./wire.ts";

const MODEL = "corpus-order-1";

type BodyMaker = (voice: Voice) => Record<string, unknown>;

const tool = (voice: Voice): object => ({
  type: "function",
  function: {
    name: "read_tide",
    description: voice.sentence(),
    parameters: { type: "object", properties: { place: { type: "string" } } },
  },
});

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ messages: [{ role: "user", content: voice.text() }] }),
  (voice) => ({
    messages: [
      { role: "system", content: voice.sentence() },
      { role: "user", content: [{ type: "text", text: voice.text() }] },
    ],
    tools: [tool(voice)],
  }),
  (voice) => ({
    messages: [{ role: "user", content: voice.text() }],
    documents: [{ id: "d1", data: { text: voice.text() } }],
    temperature: 0.25,
  }),
];

interface Answer {
  readonly plan?: string;
  readonly thinking?: string;
  readonly text?: string;
  readonly call?: { readonly id: string; readonly args: string };
  readonly cites?: string;
}

const ANSWERS: readonly [AnswerMaker, ...AnswerMaker[]] = [
  (voice) => ({ text: voice.text() }),
  (voice) => ({ plan: voice.text(), call: { id: voice.id("t"), args: JSON.stringify(voice.values()) } }),
  (voice) => ({ text: voice.text(), cites: "seven boats" }),
  (voice) => ({ thinking: voice.text(), text: voice.text() }),
];

type AnswerMaker = (voice: Voice) => Answer;

const usage = {
  billed_units: { input_tokens: 9, output_tokens: 7 },
  tokens: { input_tokens: 90, output_tokens: 11 },
};

const citation = (text: string): object => ({
  start: 0,
  end: text.length,
  text,
  sources: [{ type: "document", id: "d1", document: { id: "d1" } }],
});

function wholeMessage({ plan, thinking, text, call, cites }: Answer): object {
  const content = [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
  ];
  return {
    role: "assistant",
    ...(content.length > 0 && { content }),
    ...(plan !== undefined && { tool_plan: plan }),
    ...(call !== undefined && {
      tool_calls: [{ id: call.id, type: "function", function: { name: "read_tide", arguments: call.args } }],
    }),
    ...(cites !== undefined && { citations: [citation(cites)] }),
  };
}

const reasonOf = ({ call }: Answer): string => (call === undefined ? "COMPLETE" : "TOOL_CALL");

type CohereEvent = { readonly type: string };
const told = (type: string, more: object): CohereEvent => ({ type, ...more });

function* eventsOf(voice: Voice, answer: Answer): Generator<CohereEvent> {
  const { plan, thinking, text, call, cites } = answer;
  const content = (type: string, index: number, one: object): CohereEvent =>
    told(`content-${type}`, { index, delta: { message: { content: one } } });
  yield told("message-start", {
    id: voice.id("c"),
    delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } },
  });
  for (const piece of voice.pieces(plan ?? ""))
    yield told("tool-plan-delta", { delta: { message: { tool_plan: piece } } });
  const kinds = [
    ["thinking", thinking],
    ["text", text],
  ] as const;
  const spoken = kinds.filter(([, one]) => one !== undefined);
  for (const [index, [kind, whole = ""]] of spoken.entries()) {
    yield content("start", index, { type: kind, [kind]: "" });
    for (const piece of voice.pieces(whole)) yield content("delta", index, { [kind]: piece });
    yield told("content-end", { index });
  }
  if (cites !== undefined) {
    yield told("citation-start", { index: 0, delta: { message: { citations: citation(cites) } } });
    yield told("citation-end", { index: 0 });
  }
  if (call !== undefined) {
    const piece = (one: object): object => ({ index: 0, delta: { message: { tool_calls: one } } });
    const begun = { id: call.id, type: "function", function: { name: "read_tide", arguments: "" } };
    yield told("tool-call-start", piece(begun));
    for (const args of voice.pieces(call.args))
      yield told("tool-call-delta", piece({ function: { arguments: args } }));
    yield told("tool-call-end", { index: 0 });
  }
  yield told("message-end", { delta: { finish_reason: reasonOf(answer), usage } });
}

const chat: Maker = ({ voice, most }) => [
  ...times(most, (index): GeneratedCall => {
    const answer = inTurn(ANSWERS, index)(voice);
    return {
      name: `whole-${index}`,
      request: jsonRequest("/v2/chat", { model: MODEL, ...inTurn(BODIES, index)(voice) }),
      reply: jsonReply(
        {
          id: voice.id("c"),
          message: wholeMessage(answer),
          finish_reason: reasonOf(answer),
          usage,
        },
        inTurn(["compact", "spaced", "ascii"], index),
      ),
    };
  }),
  ...times(most, (index): GeneratedCall => ({
    name: `stream-${index}`,
    request: jsonRequest("/v2/chat", { model: MODEL, ...inTurn(BODIES, index)(voice), stream: true }),
    reply: namedEvents([...eventsOf(voice, inTurn(ANSWERS, index)(voice))], inTurn(STYLES, index)),
  })),
];

const meta = { api_version: { version: "1" }, ...usage };

/** Version 1 repeats everything in its last event. */
function firstChat(voice: Voice, form: "whole" | "lines" | "events"): GeneratedCall {
  const text = voice.text();
  const id = voice.id("g");
  const whole = {
    response_id: id,
    generation_id: id,
    text,
    chat_history: [{ role: "USER", message: voice.sentence() }],
    finish_reason: "COMPLETE",
    meta,
  };
  const events = [
    { is_finished: false, event_type: "stream-start", generation_id: id },
    ...voice
      .pieces(text)
      .map((piece) => ({ is_finished: false, event_type: "text-generation", text: piece })),
    { is_finished: true, event_type: "stream-end", finish_reason: "COMPLETE", response: whole },
  ];
  const body = {
    model: MODEL,
    message: voice.text(),
    preamble: voice.sentence(),
    chat_history: [
      { role: "USER", message: voice.sentence() },
      { role: "CHATBOT", message: voice.text() },
    ],
    ...(form !== "whole" && { stream: true }),
  };
  const lines = linesReply(events, "application/stream+json", form === "lines");
  return {
    name: form,
    request: jsonRequest("/v1/chat", body),
    reply: form === "whole" ? jsonReply(whole) : lines,
  };
}

/** Rankings, which Together and OpenRouter offer in the same way. */
export const rerank: Maker = ({ base, voice }) => [
  {
    name: "ranked",
    request: jsonRequest(`${base}/rerank`, {
      model: "corpus-rank-1",
      query: voice.sentence(),
      documents: times(3, () => voice.text()),
      top_n: 2,
    }),
    reply: jsonReply({
      id: voice.id("r"),
      results: [
        { index: 2, relevance_score: 0.98 },
        { index: 0, relevance_score: 0.02, document: { text: voice.sentence() } },
      ],
      meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
    }),
  },
];

/** Cohere. Formats: docs.cohere.com/reference. */
export const cohereMakers: Makers = {
  chat,
  rerank: (place) => rerank({ ...place, base: "/v2" }),
  "chat.v1": ({ voice }) => [
    firstChat(voice, "whole"),
    firstChat(voice, "lines"),
    firstChat(voice, "events"),
  ],
  embed: ({ voice }) => [
    {
      name: "texts",
      request: jsonRequest("/v2/embed", {
        model: "corpus-embed-1",
        texts: [voice.text(), voice.text()],
        input_type: "search_document",
        embedding_types: ["float"],
      }),
      reply: jsonReply({
        id: voice.id("e"),
        embeddings: { float: [voice.numbers(8), voice.numbers(8)] },
        meta: { billed_units: { input_tokens: 9 } },
      }),
    },
  ],
  tokenize: ({ voice }) => [
    {
      name: "cut",
      request: jsonRequest("/v1/tokenize", { model: MODEL, text: voice.text() }),
      reply: jsonReply({ tokens: [5, 17, 900], token_strings: ["The", " light", "house"] }),
    },
  ],
  detokenize: ({ voice }) => [
    {
      name: "joined",
      request: jsonRequest("/v1/detokenize", { model: MODEL, tokens: [5, 17, 900] }),
      reply: jsonReply({ text: voice.text() }),
    },
  ],
};
