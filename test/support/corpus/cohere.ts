import { fixtureMakers } from "./fixtures.ts";
import { inTurn, times, type GeneratedCall, type Maker, type Makers } from "./place.ts";
import type { Voice } from "./voice.ts";
import { jsonReply, jsonRequest, namedEvents, STYLES } from "./wire.ts";

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

/** Cohere. Formats: docs.cohere.com/reference. */
export const cohereMakers: Makers = { ...fixtureMakers("cohere", ""), chat };
