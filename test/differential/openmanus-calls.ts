import { isDeepStrictEqual } from "node:util";
import { isFields } from "../../src/core/base/lenient.ts";
import type { ChatError } from "../../src/client/errors.ts";
import { formatMessages, message } from "../../src/systems/openmanus/messages.ts";
import { createTokenCounter } from "../../src/systems/openmanus/token-counter.ts";
import { call } from "../systems/openmanus/call.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { many, maybe } from "./random.ts";
import type { Differential } from "./system.ts";

interface ManusCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** What OpenManus's client formats, counts, sends, refuses and logs; a token is a character. */
export const openmanusCalls: Differential<ManusCase> = {
  name: "Calls (OpenManus)",
  results: "openmanus.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    const what = pick(random, ["call", "call", "format", "count"] as const);
    return { what, input: CASES[what](random) };
  },
  ours: async ({ what, input }) => withoutFailures(await OURS[what](input)),
  theirs: withoutFailures,
  documented({ what, input }, results) {
    const [ours, theirs] = [uncounted(results.ours), uncounted(results.theirs)];
    if (what !== "call" || !isDeepStrictEqual(ours, theirs)) return undefined;
    if (input.method === "ask_with_images") return "completions about pictures are counted [OM-D10]";
    return isFields(ours["result"]) ? "a failed call is not counted [OM-D2]" : undefined;
  },
};

/** What failures are called in the log is each one's own. */
function withoutFailures(result: unknown): unknown {
  const { log, ...rest } = result as { log?: readonly (readonly [string, string])[] };
  return log === undefined ? result : { ...rest, log: log.filter(([level]) => level !== "error") };
}

function uncounted(result: unknown): Readonly<Record<string, unknown>> {
  const { totals: _, log: __, ...rest } = result as { totals?: unknown; log?: unknown };
  return rest;
}

const characters = (text: string): number => Array.from(text).length;

/* oxlint-disable typescript/no-explicit-any -- as in ManusCase */
const OURS = {
  async call(input: any): Promise<unknown> {
    const row = { name: "random", input, expected: undefined };
    const { result, requests, total_input_tokens, total_completion_tokens, log } = (await call(
      row,
      characters,
    )) as any;
    return {
      result,
      request: requests[0] ?? null,
      totals: [total_input_tokens, total_completion_tokens],
      log,
    };
  },
  format({ messages, supports_images }: any): unknown {
    try {
      const made = messages.map((one: any) => (one?.$message ? message(one.$message) : one));
      return formatMessages(made, supports_images);
    } catch (error) {
      return { error: (error as ChatError).message };
    }
  },
  count: (messages: any): unknown => createTokenCounter(characters).countMessageTokens(messages),
};
/* oxlint-enable typescript/no-explicit-any */

type Texts = readonly [string, ...string[]];
const WORDS: Texts = ["hi", "文件", "😀", "it's", "", " ", "a\n", "\u0085", "\ufeff", "éé"];
const word = (random: Random): string => pick(random, WORDS);

const part = (random: Random): unknown =>
  pick<unknown>(random, [
    word(random),
    { type: "text", text: word(random) },
    { type: "image_url", image_url: { url: "u" } },
    {
      type: "image_url",
      image_url: { url: "u" },
      detail: pick(random, ["low", "high", "medium", "auto", null]),
    },
    {
      image_url: { url: "u" },
      detail: pick(random, ["high", "medium", "auto"]),
      dimensions: [1 + Math.floor(random() * 4000), 1 + Math.floor(random() * 4000)],
    },
    { type: "file", id: "f" },
  ]);
const toolCall = (random: Random, at: number): object => ({
  id: `c${at}`,
  type: "function",
  function: { name: word(random), arguments: word(random) },
});

/** A map as users write it. */
function given(random: Random, role: string): object {
  return {
    role,
    ...(random() < 0.9 && { content: random() < 0.6 ? word(random) : many(random, 3, () => part(random)) }),
    ...(random() < 0.1 && { content: null }),
    ...(random() < 0.15 && { tool_calls: many(random, 2, (at) => toolCall(random, at)) }),
    ...(random() < 0.1 && { name: word(random) }),
    ...(random() < 0.1 && { tool_call_id: word(random) }),
    ...(random() < 0.15 && { base64_image: pick(random, ["", "QUJD", null]) }),
  };
}

const role = (random: Random): string => pick(random, ["user", "user", "assistant", "tool", "system"]);
const messages = (random: Random, most: number): object[] =>
  many(random, most, () => given(random, role(random)));

function givenOrMade(random: Random): unknown {
  if (random() < 0.7) return given(random, random() < 0.05 ? "robot" : role(random));
  const content = maybe(random, 0.8, () => word(random));
  return {
    $message: {
      role: role(random),
      content,
      tool_calls: maybe(random, 0.2, () => many(random, 2, (at) => toolCall(random, at))),
      base64_image: maybe(random, 0.2, () => pick(random, ["", "QUJD"])),
    },
  };
}

const schema = (random: Random): object => ({
  type: "object",
  properties: Object.fromEntries(
    many(random, 2, (at) => [
      `p${at}`,
      pick<object>(random, [{ type: "string" }, { default: word(random) }, { minimum: 1.5 }]),
    ]),
  ),
  strict: pick(random, [true, false, null]),
});
const tool = (random: Random): object => ({
  ...(random() < 0.97 && { type: "function" }),
  // One without a name is refused here.
  function: { name: pick(random, ["f", "文件", "it's", '"'] as const), parameters: schema(random) },
});

const answer = (random: Random): object =>
  random() < 0.1
    ? { choices: [] }
    : {
        choices: [{ content: maybe(random, 0.8, () => word(random)) }],
        in: Math.floor(random() * 50),
        out: 3,
      };

/** A message that is always sent, so that what follows is looked at. */
const asked = (random: Random): object => ({ role: "user", content: pick(random, ["hi", "文件", "it's"]) });

function options(random: Random): object {
  return {
    ...(random() < 0.3 && { system_msgs: messages(random, 2).map((one) => ({ ...one, role: "system" })) }),
    ...(random() < 0.3 && { temperature: pick(random, [0, 0.5, null]) }),
  };
}

const METHODS: Readonly<Record<string, (random: Random) => object>> = {
  ask: (random) => ({ stream: random() < 0.5 }),
  ask_tool: (random) => ({
    ...(random() < 0.7 && { tools: many(random, 2, () => tool(random)) }),
    ...(random() < 0.5 && { tool_choice: pick(random, ["auto", "none", "required", "nope", ""]) }),
    ...(random() < 0.3 && { timeout: Math.floor(random() * 100) }),
    ...(random() < 0.2 && { seed: 5 }),
  }),
  ask_with_images: (random) => ({
    images: many(random, 3, () =>
      pick<unknown>(random, ["https://e.test/a.png", { url: "u" }, { image_url: { url: "u" } }, { a: 1 }]),
    ),
    stream: random() < 0.3,
  }),
};

const CASES: Readonly<Record<keyof typeof OURS, (random: Random) => unknown>> = {
  call(random) {
    const method = pick(random, ["ask", "ask_tool", "ask_with_images"]);
    const own = METHODS[method]?.(random) as { stream?: boolean };
    const chunks = many(random, 4, () => maybe(random, 0.9, () => word(random)));
    const models = ["gpt-4o", "gpt-4o", "o1", "o3-mini", "gpt-4", "claude-3-opus-20240229"] as const;
    return {
      method,
      args: { messages: [...messages(random, 3), asked(random)], ...options(random), ...own },
      client: [own.stream === true ? { chunks } : answer(random)],
      settings: {
        model: pick(random, models),
        ...(random() < 0.3 && { max_input_tokens: Math.floor(random() * 200) }),
        ...(random() < 0.2 && { temperature: 0.25, max_tokens: 77 }),
      },
      totals_before: [Math.floor(random() * 30), Math.floor(random() * 30)],
    };
  },
  format: (random) => ({
    messages: many(random, 4, () => givenOrMade(random)),
    supports_images: random() < 0.6,
  }),
  count: (random) => messages(random, 4),
};
