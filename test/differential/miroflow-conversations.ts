import { isDeepStrictEqual } from "node:util";
import { applyCacheControl, anthropicProvider } from "../../src/systems/miroflow/anthropic-provider.ts";
import { ensureSummaryContext } from "../../src/systems/miroflow/guard.ts";
import { openAiProvider } from "../../src/systems/miroflow/openai-provider.ts";
import {
  answerText,
  experienceText,
  fixServerNames,
  parseToolCalls,
} from "../../src/systems/miroflow/parsing.ts";
import { retainToolResults } from "../../src/systems/miroflow/retention.ts";
import { standIn } from "../systems/miroflow/stand-in.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { damagedJson } from "./damaged-json.ts";
import { many, maybe } from "./random.ts";
import type { Differential } from "./system.ts";

interface MiroCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Tool calls in answers, server names, what is kept of conversations and the guard of their length. */
export const miroflowConversations: Differential<MiroCase> = {
  name: "Conversations (MiroFlow)",
  results: "miroflow.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    const what = pick(random, [
      "parse",
      "parse",
      "fix",
      "say",
      "retain",
      "mark",
      "guard",
      "process",
    ] as const);
    return { what, input: CASES[what](random) };
  },
  ours: ({ what, input }) => OURS[what](input),
  documented({ what, input }, { ours, theirs }) {
    if (what === "mark" && isDeepStrictEqual(unnamed(ours), unnamed(theirs)))
      return "the message that is marked for the cache keeps its other fields";
    const isRightOnce = String(ours) !== String(input.text);
    return what === "fix" && isRightOnce
      ? "each wrong server name is corrected, also beside a right one"
      : undefined;
  },
};

/** Marked messages without what the original drops. */
function unnamed(result: unknown): unknown {
  const { messages, log } = result as { messages: { name?: string }[]; log: unknown };
  return { log, messages: messages.map((message) => ({ ...message, name: undefined })) };
}

type Lines = (readonly unknown[])[];

/* oxlint-disable typescript/no-explicit-any -- as in MiroCase */
const OURS = {
  parse: (input: any): unknown => parseToolCalls(input),
  fix: ({ text, system_prompt }: any): unknown => fixServerNames(text, system_prompt),
  say: (text: any): unknown => ({ experience: experienceText(text), text: answerText(text) }),
  retain({ messages, keep }: any): unknown {
    const log: Lines = [];
    return { messages: retainToolResults(messages, keep, { log: (...line) => log.push(line) }), log };
  },
  mark(messages: any): unknown {
    const log: Lines = [];
    return { messages: applyCacheControl(messages, (...line) => log.push(line)), log };
  },
  guard({ history, summary, last_call, max_tokens, max_context_length }: any): unknown {
    const log: Lines = [];
    const guarded = ensureSummaryContext(history, summary, {
      lastCall: last_call,
      maxTokens: max_tokens,
      maxContextLength: max_context_length,
      countTokens: (text) => Array.from(text).length,
      log: (...line) => log.push(line),
    });
    return { continue: guarded.continues, history: guarded.history, log };
  },
  async process({ provider, response }: any): Promise<unknown> {
    const { client, log } = await standIn(
      provider === "openai" ? openAiProvider : anthropicProvider,
      () => 0,
    );
    const { text, shouldBreak, messageHistory } = client.processLlmResponse(response, [
      { role: "user", content: "t" },
    ]);
    return { text, should_break: shouldBreak, history: messageHistory, log };
  },
};
/* oxlint-enable typescript/no-explicit-any */

type Texts = readonly [string, ...string[]];
const WORDS: Texts = [
  "a",
  "it's",
  'say "hi"',
  "文件",
  "😀",
  "",
  " ",
  "x\ny",
  "a\\b",
  "{}",
  "\u0085",
  "é\u0301",
];
const SERVERS: Texts = ["tool-python", "search_srv", "wrong", "a b", ""];
const TOOLS: Texts = [
  ...(["run_python_code", "google_search", "scrape_and_extract_info"] as const),
  ...(["python", "python_code", "other", " google_search ", ""] as const),
];
const BLANKS: Texts = ["", "\n", " ", "\n  ", "\u00a0", "\ufeff"];

const argumentsOf = (random: Random): string =>
  random() < 0.2 ? pick(random, PYTHON_DICTS) : damagedJson(Math.floor(random() * 2 ** 30)).text;
const PYTHON_DICTS: Texts = [
  "{'a': True, 'n': None}",
  '{"a": NaN, "b": null}',
  "null",
  "[1, null]",
  "5",
  '"text"',
  "{'a': \"it's\"}",
  "",
  '{"a": 1e400}',
  '{"a": 1, "a": 2}',
  "{'None': 'Trueish'}",
];

function block(random: Random): string {
  const blank = (): string => pick(random, BLANKS);
  const server = `<server_name>${blank()}${pick(random, SERVERS)}${blank()}</server_name>`;
  const tool = `<tool_name>${random() < 0.2 ? blank() : ""}${pick(random, TOOLS)}</tool_name>`;
  const args = `<arguments>${blank()}${argumentsOf(random)}${blank()}</arguments>`;
  const whole = `<use_mcp_tool>${blank()}${server}${blank()}${tool}${blank()}${args}${blank()}</use_mcp_tool>`;
  return random() < 0.1 ? whole.slice(0, Math.floor(random() * whole.length)) : whole;
}

const thought = (random: Random): string =>
  `<think>${pick(random, WORDS)}${random() < 0.9 ? "</think>" : ""}`;

function answer(random: Random): string {
  return many(random, 4, () => pick(random, [word, word, block, thought])(random)).join(
    pick(random, ["", "\n"]),
  );
}
const word = (random: Random): string => pick(random, WORDS);

const call = (random: Random, field: "function" | undefined): object => {
  const name = pick(random, ["s-t", "tool-python-run", "plain", "-", "a-", ""]);
  const called = { name, arguments: argumentsOf(random) };
  return field === undefined ? called : { id: maybe(random, 0.9, () => "1"), function: called };
};

const parts = (random: Random): object[] =>
  many(random, 3, () =>
    random() < 0.7 ? { type: "text", text: word(random) } : { type: "image", source: { data: word(random) } },
  );
const content = (random: Random): unknown => (random() < 0.6 ? word(random) : parts(random));
const conversation = (random: Random, most: number, least = 0): object[] =>
  Array.from({ length: least + Math.floor(random() * (most + 1)) }, () => ({
    role: pick(random, ["user", "user", "assistant", "tool", "system"]),
    content: content(random),
    ...(random() < 0.1 && { name: "n" }),
  }));

const CASES: Readonly<Record<keyof typeof OURS, (random: Random) => unknown>> = {
  parse(random) {
    const kind = random();
    if (kind < 0.6) return answer(random);
    if (kind < 0.85) return many(random, 2, () => call(random, "function"));
    const items = many(random, 2, (at) => ({
      type: "function_call",
      call_id: `c${at}`,
      ...call(random, undefined),
    }));
    return { output: [...items, { type: "message" }] };
  },
  fix: (random) => ({
    text: answer(random),
    system_prompt: many(random, 5, () =>
      random() < 0.4
        ? `## Server name:${pick(random, [" ", "", "  "])}${pick(random, SERVERS)}${pick(random, BLANKS)}`
        : `### Tool name: ${pick(random, TOOLS)}`,
    ).join("\n"),
  }),
  say: answer,
  retain: (random) => ({ messages: conversation(random, 8), keep: Math.floor(random() * 5) - 1 }),
  mark: (random) => conversation(random, 5),
  guard(random) {
    const provider = pick(random, ["openai", "anthropic"]);
    const [read, written] = [Math.floor(random() * 300), Math.floor(random() * 300)];
    return {
      provider,
      history: conversation(random, 4, 2),
      summary: word(random),
      last_call:
        provider === "openai"
          ? { prompt_tokens: read, completion_tokens: written }
          : { input_tokens: read, output_tokens: written },
      max_tokens: 100,
      max_context_length: 1100 + Math.floor(random() * 600),
    };
  },
  process(random) {
    const provider = pick(random, ["openai", "anthropic"]);
    const text = pick(random, [...WORDS, "Context length exceeded: 5"]);
    const message = { content: maybe(random, 0.9, () => text) };
    const choices = [{ finish_reason: pick(random, ["stop", "length"]), message }];
    if (provider === "openai") return { provider, response: random() < 0.1 ? { choices: [] } : { choices } };
    const blocks = many(random, 3, (at) =>
      pick<object>(random, [
        { type: "text", text: word(random) },
        { type: "tool_use", id: `t${at}`, name: "f", input: {} },
        { type: "thinking", thinking: word(random) },
      ]),
    );
    return { provider, response: { content: blocks } };
  },
};
