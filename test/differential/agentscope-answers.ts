import { isDeepStrictEqual } from "node:util";
import { runModelRow } from "../systems/agentscope/golden-model.ts";
import { comparable } from "../systems/agentscope/golden-text.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { damagedJson } from "./damaged-json.ts";
import { many, maybe } from "./random.ts";
import type { Differential } from "./system.ts";

interface ModelCase {
  readonly provider: "openai" | "anthropic" | "dashscope" | "gemini" | "ollama";
  readonly init: Readonly<Record<string, unknown>>;
  readonly call: Readonly<Record<string, unknown>>;
  readonly script: readonly object[];
}

/** Whole answers and streams of the five providers, read by AgentScope's models. */
export const agentscopeAnswers: Differential<ModelCase> = {
  name: "Model answers (AgentScope)",
  results: "agentscope.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    const provider = pick(random, ["openai", "anthropic", "dashscope", "gemini", "ollama"] as const);
    const stream = random() < 0.7;
    const parses = provider !== "gemini" && provider !== "ollama" && random() < 0.2;
    return {
      provider,
      init: {
        stream,
        ...(parses && { stream_tool_parsing: false }),
        ...(provider === "openai" && random() < 0.1 && { generate_kwargs: { audio: { format: "opus" } } }),
      },
      call: callOf(random, provider),
      script: [stream ? { chunks: chunksOf(random, provider) } : { response: WHOLE[provider](random) }],
    };
  },
  ours: async (input) => compared(await runModelRow({ name: "random", input, expected: undefined })),
  theirs: compared,
  documented: (input, { ours, theirs }) =>
    DEFECTS.find(
      ({ of, without }) =>
        of === input.provider && isDeepStrictEqual(without(ours, input), without(theirs, input)),
    )?.why,
};

/** Gemini's SDK gets a class and writes its schema; here the schema is given. */
function compared(result: unknown): unknown {
  const { requests, ...rest } = comparable(result) as {
    requests: { config?: { responseSchema?: unknown } }[];
  };
  for (const { config } of requests)
    if (config?.responseSchema !== undefined) config.responseSchema = "a schema";
  return { ...rest, requests };
}

type Texts = readonly [string, ...string[]];
const TEXTS: Texts = ["Hel", "lo", " ", "文件", "😀", '{"name": "Ann"', ', "age": 3}', "", "a\nb"];
const NAMES: Texts = ["f", "g", "generate_structured_output"];
const SIGNS: Texts = ["c2ln", "YQ=="];

const count = (random: Random): number => Math.floor(random() * 50);
const argumentsOf = (random: Random): string =>
  random() < 0.4 ? JSON.stringify(objectOf(random)) : damagedJson(Math.floor(random() * 2 ** 30)).text;
const objectOf = (random: Random): object =>
  Object.fromEntries(
    many(random, 2, (at) => [`k${at}`, pick(random, [1, -2, "é", "x y", true, null, [1, "a"], { n: {} }])]),
  );

const TOOL = { type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } };

function callOf(random: Random, provider: string): ModelCase["call"] {
  // OpenAI's structured answer comes from a separate SDK method; golden rows cover it.
  if (provider !== "openai" && random() < 0.2)
    return { structured_model: pick(random, ["Person", "Nested"]), ...(random() < 0.3 && { tools: [TOOL] }) };
  if (random() < 0.5) return {};
  const choice = pick(random, ["auto", "none", "required", "any", "f", "nope", "", null]);
  return { tools: [TOOL], ...(random() < 0.6 && { tool_choice: choice }) };
}

/** A text in pieces, so that streams cut it anywhere. */
function piecesOf(random: Random, text: string): string[] {
  const chars = Array.from(text);
  const pieces: string[] = [];
  while (chars.length > 0) pieces.push(chars.splice(0, 1 + Math.floor(random() * 12)).join(""));
  return pieces;
}

/** The pieces of several texts in any order that leaves each one's own as it is. */
function mixed<T>(random: Random, lists: readonly (readonly T[])[]): T[] {
  const left = lists.map((list) => [...list]).filter((list) => list.length > 0);
  const all: T[] = [];
  while (left.length > 0) {
    const at = Math.floor(random() * left.length);
    all.push(...(left[at]?.splice(0, 1) ?? []));
    if (left[at]?.length === 0) left.splice(at, 1);
  }
  return all;
}

function chunksOf(random: Random, provider: ModelCase["provider"]): object[] {
  return STREAMS[provider](random);
}

const openAiUsage = (random: Random): object => ({
  prompt_tokens: count(random),
  completion_tokens: count(random),
});

function openAiChunk(random: Random, delta: object): object {
  const whole = { content: null, tool_calls: null, ...delta };
  return {
    id: random() < 0.1 ? null : "cmpl-1",
    usage: maybe(random, 0.1, () => openAiUsage(random)),
    choices: [{ delta: whole, finish_reason: null }],
  };
}

function openAiStream(random: Random): object[] {
  const texts = many(random, 4, () => ({ content: pick(random, TEXTS) }));
  const thoughts = many(random, 2, () => ({
    [pick(random, ["reasoning_content", "reasoning"])]: pick(random, [...TEXTS, null]),
  }));
  const audio = many(random, random() < 0.1 ? 2 : 0, () => ({
    audio: { $dict: { data: "QUJD", ...(random() < 0.5 && { transcript: "hi" }) } },
  }));
  const calls = many(random, 2, (index) => {
    const [first = "", ...rest] = piecesOf(random, argumentsOf(random));
    const piece = (id: string | null, name: string | null, text: string | null): object => ({
      tool_calls: [{ index, id, function: { name, arguments: text } }],
    });
    const begun = random() < 0.3 ? [null, first] : [first];
    const [opening = null, ...later] = [...begun, ...rest];
    return [
      piece(`c${index}`, pick(random, NAMES), opening),
      ...later.map((text) => piece(null, null, text)),
    ];
  });
  const chunks = mixed(random, [texts, thoughts, audio, ...calls]).map((delta) => openAiChunk(random, delta));
  const counts = many(random, 2, () => ({
    id: "cmpl-1",
    usage: maybe(random, 0.8, () => openAiUsage(random)),
    choices: [],
  }));
  return random() < 0.2 ? mixed(random, [chunks, counts]) : [...chunks, ...counts];
}

function anthropicStream(random: Random): object[] {
  const delta = (index: number, one: object): object => ({ type: "content_block_delta", index, delta: one });
  const texts = many(random, 4, () => delta(0, { type: "text_delta", text: pick(random, TEXTS) }));
  const thoughts = many(random, 2, () => delta(1, { type: "thinking_delta", thinking: pick(random, TEXTS) }));
  const signs = many(random, 1, () => delta(1, { type: "signature_delta", signature: pick(random, SIGNS) }));
  const calls = many(random, 2, (at) => {
    const block = { type: "tool_use", id: `t${at}`, name: pick(random, NAMES), input: {} };
    const pieces = piecesOf(random, argumentsOf(random));
    const start = { type: "content_block_start", index: at + 2, content_block: block };
    const told = pieces.map((text) => delta(at + 2, { type: "input_json_delta", partial_json: text }));
    return random() < 0.05 ? told : [start, ...told];
  });
  const start = { type: "message_start", message: { id: "msg_1", usage: anthropicUsage(random) } };
  const end = {
    type: "message_delta",
    usage: { output_tokens: count(random), ...(random() < 0.3 && { input_tokens: count(random) }) },
    delta: { stop_reason: "end_turn" },
  };
  const told = mixed(random, [texts, [...thoughts, ...signs], ...calls]);
  return [...(random() < 0.95 ? [start] : []), ...told, ...(random() < 0.8 ? [end] : [])];
}

const anthropicUsage = (random: Random): object => ({
  input_tokens: count(random),
  output_tokens: count(random),
});

const dashAnswer = (random: Random, message: object): object => ({
  status_code: 200,
  request_id: "req-1",
  output: { choices: [{ message }] },
  usage: maybe(random, 0.6, () => anthropicUsage(random)),
});

function dashContent(random: Random): unknown {
  if (random() < 0.7) return pick(random, TEXTS);
  return many(random, 2, () => (random() < 0.8 ? { text: pick(random, TEXTS) } : { image: "u" }));
}

function dashScopeStream(random: Random): object[] {
  const texts = many(random, 4, () => ({ content: dashContent(random) }));
  const thoughts = many(random, 2, () => ({ content: "", reasoning_content: pick(random, TEXTS) }));
  const calls = many(random, 2, (index) => {
    const [first = "", ...rest] = piecesOf(random, argumentsOf(random));
    const begun = { index, id: `c${index}`, function: { name: pick(random, NAMES), arguments: first } };
    const later = rest.map((text) => ({ index, function: { arguments: text } }));
    return [begun, ...later].map((call) => ({ content: "", tool_calls: [call] }));
  });
  return mixed<object>(random, [texts, thoughts, ...calls]).map((message) => dashAnswer(random, message));
}

function geminiPart(random: Random): object {
  const nothing = { text: null, thought: null, function_call: null, thought_signature: null };
  const sign = maybe(random, 0.15, () => ({ $bytes_b64: pick(random, SIGNS) }));
  if (random() < 0.3) {
    const call = {
      name: pick(random, NAMES),
      args: { $dict: objectOf(random) },
      id: maybe(random, 0.3, () => "gid"),
    };
    return { ...nothing, function_call: call, thought_signature: sign };
  }
  return {
    ...nothing,
    text: pick(random, TEXTS),
    thought: maybe(random, 0.2, () => true),
    thought_signature: sign,
  };
}

function geminiAnswer(random: Random): object {
  const parts = many(random, 4, () => geminiPart(random)) as { text: string | null; thought: true | null }[];
  const isEmpty = random() < 0.05;
  const spoken = parts.flatMap((part) => (part.text !== null && part.thought === null ? [part.text] : []));
  const text = isEmpty ? "" : spoken.join("");
  return {
    candidates: isEmpty ? null : [{ content: { parts } }],
    usage_metadata: maybe(random, 0.7, () => ({
      prompt_token_count: maybe(random, 0.95, () => count(random)),
      total_token_count: maybe(random, 0.95, () => 50 + count(random)),
    })),
    response_id: maybe(random, 0.95, () => "r1"),
    text: text === "" ? null : text,
  };
}

const ollamaCall = (random: Random): object => ({
  function: { name: pick(random, NAMES), arguments: { $dict: objectOf(random) } },
});

function ollamaAnswer(random: Random, done: boolean): object {
  return {
    message: {
      content: maybe(random, 0.7, () => pick(random, TEXTS)),
      thinking: maybe(random, 0.3, () => pick(random, TEXTS)),
      tool_calls: maybe(random, 0.2, () => many(random, 2, () => ollamaCall(random))),
    },
    done,
    ...(done && random() < 0.8 && { prompt_eval_count: count(random), eval_count: count(random) }),
  };
}

const STREAMS: Readonly<Record<ModelCase["provider"], (random: Random) => object[]>> = {
  openai: openAiStream,
  anthropic: anthropicStream,
  dashscope: dashScopeStream,
  gemini: (random) => many(random, 6, () => geminiAnswer(random)),
  ollama: (random) => [...many(random, 5, () => ollamaAnswer(random, false)), ollamaAnswer(random, true)],
};

const WHOLE: Readonly<Record<ModelCase["provider"], (random: Random) => object>> = {
  openai(random) {
    const call = (at: number): object => ({
      id: `c${at}`,
      function: { name: pick(random, NAMES), arguments: random() < 0.1 ? "" : argumentsOf(random) },
    });
    const message = {
      content: maybe(random, 0.7, () => pick(random, TEXTS)),
      audio: maybe(random, 0.1, () => ({ data: "QUJD", transcript: pick(random, TEXTS) })),
      tool_calls: maybe(random, 0.4, () => many(random, 2, call)),
      ...(random() < 0.3 && {
        [pick(random, ["reasoning_content", "reasoning"])]: pick(random, [...TEXTS, null]),
      }),
    };
    return {
      id: "cmpl-1",
      usage: maybe(random, 0.8, () => openAiUsage(random)),
      choices: random() < 0.05 ? [] : [{ message }],
    };
  },
  anthropic(random) {
    const block = (at: number): object => {
      const kind = pick(random, ["text", "thinking", "tool_use", "redacted_thinking"]);
      if (kind === "text") return { type: kind, text: pick(random, TEXTS) };
      if (kind === "thinking")
        return { type: kind, thinking: pick(random, TEXTS), signature: pick(random, SIGNS) };
      if (kind !== "tool_use") return { type: kind, data: "x" };
      return { type: kind, id: `t${at}`, name: pick(random, NAMES), input: { $dict: objectOf(random) } };
    };
    return {
      id: "msg_1",
      content: many(random, 4, block),
      usage: maybe(random, 0.9, () => anthropicUsage(random)),
    };
  },
  dashscope(random) {
    const call = (at: number): object => ({
      id: `c${at}`,
      function: { name: pick(random, NAMES), ...(random() < 0.9 && { arguments: argumentsOf(random) }) },
    });
    const calls = many(random, 2, call);
    return dashAnswer(random, {
      content: dashContent(random),
      ...(random() < 0.2 && { reasoning_content: pick(random, TEXTS) }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  },
  gemini: geminiAnswer,
  ollama: (random) => ollamaAnswer(random, random() < 0.8),
};

interface Defect {
  readonly of: ModelCase["provider"];
  /** A result without what the defect changes. */
  readonly without: (result: unknown, input: ModelCase) => unknown;
  readonly why: string;
}

interface ModelResult {
  readonly responses?: readonly {
    readonly content: readonly { readonly type: string }[];
    readonly usage: unknown;
  }[];
}

/** A result with other values in each of its responses. */
function withoutIn(
  result: unknown,
  change: (response: NonNullable<ModelResult["responses"]>[number]) => object,
): unknown {
  const { responses = [] } = result as ModelResult;
  return { ...(result as object), responses: responses.map((one) => ({ ...one, ...change(one) })) };
}

const unsigned = (content: readonly object[]): object[] =>
  content.map((block) => ({ ...block, signature: undefined }));

const DEFECTS: readonly Defect[] = [
  {
    of: "dashscope",
    without: (result) =>
      withoutIn(result, ({ content }) => ({ content: content.filter(({ type }) => type !== "thinking") })),
    why: "the thoughts of a whole answer stay [AS-D4]",
  },
  {
    of: "gemini",
    without: (result) => withoutIn(result, () => ({ usage: undefined })),
    why: "a chunk without usage leaves what is known [AS-D5]",
  },
  {
    of: "anthropic",
    without: (result, { init }) =>
      init["stream_tool_parsing"] === false
        ? withoutIn(result, ({ content }) => ({ content: unsigned(content) }))
        : result,
    why: "a late signature is reported [AS-D2]",
  },
  {
    of: "ollama",
    without: (result) =>
      withoutIn(result, ({ content }) => ({ content: content.filter(({ type }) => type !== "tool_use") })),
    why: "a tool called in two chunks is called twice [AS-D6]",
  },
];
