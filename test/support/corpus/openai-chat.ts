import { inTurn, times, type GeneratedCall, type Maker, type Place } from "./place.ts";
import type { Voice } from "./voice.ts";
import {
  eventsReply,
  jsonReply,
  jsonRequest,
  type MadeReply,
  PIXEL,
  PLAIN,
  type Style,
  STYLES,
} from "./wire.ts";

const MODEL = "corpus-chat-1";

/**
 * Chat completions, by OpenAI and by those who speak alike. Formats: platform.openai.com/docs/api-reference/chat;
 * where providers differ, as the dialects in `src/core/protocol` say.
 */
export const chatCompletions: Maker = (place) => [
  ...times(place.most, (index) => wholeChat(place, index)),
  ...times(place.most, (index) => streamedChat(place, index)),
];

/** The requested options change with the index. */
function chatBody(voice: Voice, index: number): Record<string, unknown> {
  const asks = inTurn(BODIES, index)(voice);
  return { model: MODEL, ...asks };
}

const tool = (voice: Voice, name: string): object => ({
  type: "function",
  function: {
    name,
    description: voice.sentence(),
    parameters: {
      type: "object",
      properties: { place: { type: "string", description: voice.text() }, boats: { type: "integer" } },
      required: ["place"],
    },
  },
});

const user = (content: unknown): object => ({ role: "user", content });

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ messages: [{ role: "system", content: voice.sentence() }, user(voice.text())] }),
  (voice) => ({
    messages: [user(voice.text())],
    temperature: 0.25,
    max_tokens: voice.count(10, 900),
    seed: 7,
  }),
  (voice) => ({
    messages: [user(voice.text())],
    tools: [tool(voice, "count_boats"), tool(voice, "read_tide")],
    tool_choice: "auto",
  }),
  (voice) => ({
    messages: [
      user([
        { type: "text", text: voice.text() },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "low" } },
      ]),
    ],
  }),
  (voice) => {
    const id = voice.id("call_");
    const called = { name: "count_boats", arguments: JSON.stringify(voice.values()) };
    return {
      messages: [
        user(voice.text()),
        { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: called }] },
        { role: "tool", tool_call_id: id, content: voice.text() },
        user(voice.sentence()),
      ],
      tools: [tool(voice, "count_boats")],
      tool_choice: { type: "function", function: { name: "count_boats" } },
      parallel_tool_calls: false,
    };
  },
  (voice) => ({
    messages: [user(voice.text()), { role: "assistant", content: voice.text() }, user(voice.text())],
    top_p: 0.9,
    stop: ["\n\n", "END"],
    response_format: {
      type: "json_schema",
      json_schema: { name: "tide", strict: true, schema: { type: "object", properties: {} } },
    },
  }),
];

type BodyMaker = (voice: Voice) => Record<string, unknown>;

/** The content of an answer; the parts that are present change with the index. */
export interface ChatAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  readonly reason: string;
  readonly cites?: string;
}

const SAYINGS: readonly [SayingMaker, ...SayingMaker[]] = [
  (voice) => ({ text: voice.text(), calls: [], reason: "stop" }),
  (voice) => ({ calls: [call(voice, "count_boats")], reason: "tool_calls" }),
  (voice) => ({ thinking: voice.text(), text: voice.text(), calls: [], reason: "stop" }),
  (voice) => ({
    text: voice.text(),
    calls: [call(voice, "count_boats"), call(voice, "read_tide")],
    reason: "tool_calls",
  }),
  (voice) => ({ text: voice.text(), calls: [], reason: "length", cites: "https://tides.example/nes" }),
  (voice) => ({ refusal: voice.sentence(), calls: [], reason: "stop" }),
];

type SayingMaker = (voice: Voice) => ChatAnswer;

function call(voice: Voice, name: string): ChatAnswer["calls"][number] {
  return { id: voice.id("call_"), name, text: JSON.stringify(voice.values()) };
}

/** The field in which a provider sends thoughts. */
const THINKING: Readonly<Record<string, "reasoning" | "parts">> = {
  groq: "reasoning",
  openrouter: "reasoning",
  mistral: "parts",
};

function thinkingIn(provider: string, text: string): Record<string, unknown> {
  const where = THINKING[provider];
  return where === "reasoning" ? { reasoning: text } : { reasoning_content: text };
}

function usage({ voice, provider }: Place): object {
  const [asked, said] = [voice.count(5, 900), voice.count(20, 400)];
  return {
    prompt_tokens: asked,
    completion_tokens: said,
    total_tokens: asked + said,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
    ...(provider === "deepseek" && { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: asked - 4 }),
    ...(provider === "openrouter" && { cost: 0.00012 }),
  };
}

/** The reply with this answer. */
export function chatReply(place: Place, said: ChatAnswer, isStream: boolean): MadeReply {
  if (!isStream) return jsonReply(completion(place, said, 0));
  return chatStream(place, { deltas: [...deltasOf(place, said)], reason: said.reason, index: 0 });
}

function wholeChat(place: Place, index: number): GeneratedCall {
  return {
    name: `whole-${index}`,
    request: jsonRequest(pathOf(place), chatBody(place.voice, index), index % 4 === 3 ? "ascii" : "compact"),
    reply: jsonReply(
      completion(place, inTurn(SAYINGS, index)(place.voice), index),
      inTurn(["compact", "indented", "spaced", "ascii"], index),
    ),
  };
}

function completion(place: Place, said: ChatAnswer, index: number): object {
  const { voice, provider } = place;
  const count = index % 11 === 10 ? 2 : 1;
  return {
    id: voice.id("chatcmpl-"),
    object: "chat.completion",
    created: 1_790_000_000 + index,
    model: `${MODEL}-2026-11-01`,
    choices: times(count, (at) => ({
      index: at,
      message: wholeMessage(provider, said),
      logprobs: null,
      finish_reason: said.reason,
    })),
    usage: usage(place),
    ...(provider === "xai" && said.cites !== undefined && { citations: [said.cites] }),
  };
}

function wholeMessage(provider: string, { thinking, text, refusal, calls, cites }: ChatAnswer): object {
  const inParts = THINKING[provider] === "parts" && thinking !== undefined;
  const content = inParts
    ? [
        { type: "thinking", thinking: [{ type: "text", text: thinking }] },
        { type: "text", text },
      ]
    : (text ?? null);
  return {
    role: "assistant",
    content,
    ...(thinking !== undefined && !inParts && thinkingIn(provider, thinking)),
    ...(refusal !== undefined && { refusal }),
    ...(cites !== undefined && { annotations: [cited(cites)] }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, text: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      })),
    }),
  };
}

const cited = (url: string): object => ({
  type: "url_citation",
  url_citation: { url, title: "Tides of Nes", start_index: 0, end_index: 3 },
});

function streamedChat(place: Place, index: number): GeneratedCall {
  const { voice, provider } = place;
  const said = inTurn(SAYINGS, index)(voice);
  const body = { ...chatBody(voice, index), stream: true, stream_options: { include_usage: true } };
  const deltas = [...deltasOf(place, said)];
  return {
    name: `stream-${index}`,
    request: jsonRequest(pathOf(place), body),
    reply: chatStream(place, { deltas, reason: said.reason, index, style: styleFor(provider, index) }),
  };
}

/** DeepSeek keeps connections open with comments; the last style leaves the last line without an end. */
function styleFor(provider: string, index: number): Style {
  if (index % 13 === 12) return { ...PLAIN, closed: false };
  const style = inTurn(STYLES, index);
  return provider === "deepseek" ? { ...style, comments: true } : style;
}

interface Streamed {
  readonly deltas: readonly object[];
  readonly reason: string;
  readonly index: number;
  readonly style?: Style;
}

/** A stream of chunks: the content, the finish reason, the usage, the end mark. */
function chatStream(place: Place, { deltas, reason, index, style = PLAIN }: Streamed): MadeReply {
  const { voice, provider } = place;
  const head = {
    id: voice.id("chatcmpl-"),
    object: "chat.completion.chunk",
    created: 1_790_000_000 + index,
    model: `${MODEL}-2026-11-01`,
  };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const counted = usage(place);
  const last =
    provider === "groq" ? { x_groq: { id: voice.id("req_"), usage: counted } } : { usage: counted };
  const isApart = provider === "openai" || provider === "azure" || provider === "openrouter";
  const end = chunk({}, reason);
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    ...(isApart ? [end, { ...head, choices: [], ...last }] : [{ ...end, ...last }]),
  ];
  const marked = provider !== "huggingface" || index % 2 === 0;
  const events = [...chunks, ...(marked ? ["[DONE]"] : [])];
  return eventsReply(
    events.map((data) => ({ data })),
    style,
  );
}

function* deltasOf({ voice, provider }: Place, said: ChatAnswer): Generator<object> {
  const inParts = THINKING[provider] === "parts";
  for (const piece of voice.pieces(said.thinking ?? ""))
    yield inParts
      ? { content: [{ type: "thinking", thinking: [{ type: "text", text: piece }] }] }
      : thinkingIn(provider, piece);
  for (const content of voice.pieces(said.text ?? "")) yield { content };
  for (const refusal of voice.pieces(said.refusal ?? "")) yield { refusal };
  for (const [index, { id, name, text }] of said.calls.entries()) {
    yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    for (const piece of voice.pieces(text)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

/** Azure's deployments name the model in the path. */
function pathOf({ provider, base }: Place): string {
  return provider === "azure"
    ? `/openai/deployments/${MODEL}/chat/completions?api-version=2025-04-01-preview`
    : `${base}/chat/completions`;
}
