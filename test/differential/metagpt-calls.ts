import { isDeepStrictEqual } from "node:util";
import { codeAnswer } from "../../src/systems/metagpt/code-answer.ts";
import { aaskBatchKey, aaskCodeKey, aaskKey } from "../../src/systems/metagpt/keys.ts";
import { maskBase64Data, message, seesImages } from "../../src/systems/metagpt/message.ts";
import { openAiLlm } from "../../src/systems/metagpt/openai-llm.ts";
import { readFirstChoice } from "../../src/client/wire/completions.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { damagedJson } from "./damaged-json.ts";
import { many, maybe } from "./random.ts";
import type { Differential } from "./system.ts";

interface MetaCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Keys of MetaGPT's mock, what its client sends, the code in answers, and what its log hides. */
export const metagptCalls: Differential<MetaCase> = {
  name: "Calls (MetaGPT)",
  results: "metagpt.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    const what = pick(random, ["key", "key", "code", "code", "send", "mask"] as const);
    return { what, input: CASES[what](random) };
  },
  async ours({ what, input }) {
    try {
      return await OURS[what](input);
    } catch {
      return { error: "refused" };
    }
  },
  documented: ({ what, input }, { theirs }) =>
    what === "send" && input.args.msg.length === 0 && isDeepStrictEqual(theirs, { messages: [] })
      ? "no message at all is refused"
      : undefined,
  theirs: (result) =>
    typeof result === "object" && result !== null && "error" in result && Object.keys(result).length === 1
      ? { error: "refused" }
      : result,
};

/* oxlint-disable typescript/no-explicit-any -- as in MetaCase */
const OURS = {
  key({ method, args, model = "gpt-4-turbo" }: any): unknown {
    if (method === "aask") return aaskKey(args.msg, args.system_msgs);
    if (method === "aask_batch") return aaskBatchKey(made(args.msgs));
    return aaskCodeKey(made(args.messages), { seesImages: seesImages(model) });
  },
  code({ arguments: text, content }: any): unknown {
    const calls = text === null ? {} : { tool_calls: [{ function: { name: "execute", arguments: text } }] };
    return codeAnswer(readFirstChoice({ choices: [{ message: { content, ...calls } }] }));
  },
  async send({ args, model, use_system_prompt: useSystemPrompt }: any): Promise<unknown> {
    let messages: unknown;
    const create = async (params: any): Promise<unknown> => {
      ({ messages } = params);
      return { choices: [{ message: { content: "R" } }] };
    };
    const { msg, system_msgs: systemMsgs, format_msgs: formatMsgs, images } = args;
    const options = { systemMsgs, formatMsgs, images, stream: false };
    await openAiLlm({ completions: { create }, model, useSystemPrompt }).aask(msg, options);
    return { messages };
  },
  mask: (shown: any): unknown => maskBase64Data(shown),
};
/* oxlint-enable typescript/no-explicit-any */

/** The marks of messages as messages. */
function made(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(made);
  if (typeof value !== "object" || value === null || !("$message" in value)) return value;
  const given = value.$message as {
    content: string;
    role?: string;
    metadata?: { images?: readonly string[] };
  };
  const { content, role, metadata } = given;
  return message(content, { ...(role !== undefined && { role }), images: metadata?.images ?? [] });
}

type Texts = readonly [string, ...string[]];
const WORDS: Texts = [
  ...(["hi", "文件", "😀", 'say "hi"', "a\nb", "", " ", "#MSG_SEP#", "\u2028", "\u007f"] as const),
  ...(["\u0001\b\f", "a\\b", "/", "data:image/png;base64,QUJD", "http://e.test/a.png"] as const),
];
const word = (random: Random): string => pick(random, WORDS);
const roleOf = (random: Random): string => pick(random, ["user", "assistant", "system"]);
const plain = (random: Random): object => ({ role: roleOf(random), content: word(random) });
const images = (random: Random): string[] =>
  many(random, 2, () => pick(random, ["aGk=", "http://e.test/a.png"]));
const MODELS: Texts = [
  "gpt-4-turbo",
  "gpt-4o",
  "gpt-4o-mini-2024",
  "gpt-5",
  "anthropic/claude-3.7-sonnet",
  "gemini-2.5-pro",
];

function marked(random: Random): object {
  const metadata = random() < 0.4 ? { metadata: { images: images(random) } } : {};
  return { $message: { content: word(random), role: roleOf(random), ...metadata } };
}

const value = (random: Random, depth = 2): unknown => {
  if (depth > 0 && random() < 0.2) return many(random, 3, () => value(random, depth - 1));
  if (depth > 0 && random() < 0.2)
    return Object.fromEntries(many(random, 2, (at) => [`${word(random)}${at}`, value(random, depth - 1)]));
  return pick<unknown>(random, [word(random), 0, -5, 1.5, 1e-7, 123456.789, 0.1, true, false, null]);
};

/** A message as users give it; now and then one that is none. */
function coded(random: Random): unknown {
  const kind = random();
  if (kind < 0.4) return word(random);
  if (kind < 0.6) return marked(random);
  if (kind < 0.7) return { content: value(random), role: roleOf(random) };
  return kind < 0.95
    ? plain(random)
    : pick<unknown>(random, [3, null, { role: "user" }, { ...plain(random), name: "n" }]);
}

const FENCED: Texts = [
  "```python\nprint(1)\n```",
  "```\nx\n```",
  "```py\na = '```'\nb\n```",
  "```x```",
  "```python\nprint(1)```",
  "```python \n\n  a\n\n```",
  "```a b c\nd\n```",
  "``````",
  "```\n```",
  "```python\nx\n```\n```\ny\n```",
  "```\ufeffa b\n```",
  "```\u0085a\n```",
];
const ARGUMENTS: Texts = [
  '{"language":"python","code":"print(1)"}',
  "print('code')",
  "language: 'r', code: 'x <- 1'",
  "{'language': \"js\", code: `a`}",
  "just text",
  '{"code": "a\nb"}',
  "code",
  'language \'a\' code """x \'y\' z"""',
  "[1]",
  "null",
  '{"a": NaN}',
  "",
];

const CASES: Readonly<Record<keyof typeof OURS, (random: Random) => unknown>> = {
  key(random) {
    const method = pick(random, ["aask", "aask_batch", "aask_code"]);
    const systems = random() < 0.5 ? { system_msgs: many(random, 2, () => word(random)) } : {};
    if (method === "aask")
      return {
        method,
        args: { msg: random() < 0.5 ? word(random) : many(random, 3, () => plain(random)), ...systems },
      };
    if (method === "aask_batch")
      return {
        method,
        args: { msgs: many(random, 3, () => (random() < 0.6 ? word(random) : marked(random))) },
      };
    const messages = random() < 0.3 ? coded(random) : many(random, 3, () => coded(random));
    return { method, args: { messages }, model: pick(random, MODELS) };
  },
  code: (random) => ({
    arguments: maybe(random, 0.5, () =>
      random() < 0.5 ? pick(random, ARGUMENTS) : damagedJson(Math.floor(random() * 2 ** 30)).text,
    ),
    content: maybe(random, 0.9, () => (random() < 0.8 ? pick(random, FENCED) : word(random))),
  }),
  send: (random) => ({
    args: {
      msg: random() < 0.6 ? word(random) : many(random, 3, () => plain(random)),
      ...(random() < 0.5 && { system_msgs: many(random, 2, () => word(random)) }),
      ...(random() < 0.4 && { format_msgs: many(random, 2, () => plain(random)) }),
      ...(random() < 0.4 && { images: random() < 0.3 ? "aGk=" : images(random) }),
    },
    model: pick(random, MODELS),
    use_system_prompt: random() < 0.8,
  }),
  mask(random) {
    const picture = { type: "image_url", image_url: { url: word(random) } };
    const parts = many(random, 3, () =>
      pick<unknown>(random, [picture, { type: "text", text: word(random) }, "t"]),
    );
    return { role: roleOf(random), content: pick<unknown>(random, [word(random), parts, null]) };
  },
};
