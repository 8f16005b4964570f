import { expect, test } from "vitest";
import {
  chaosClient,
  collect,
  fixedClient,
  isChatError,
  parseArguments,
  scriptedClient,
  user,
} from "../../src/client/index.ts";
import { AnthropicChatModel } from "../../src/systems/agentscope/index.ts";
import { codeAnswer } from "../../src/systems/metagpt/code-answer.ts";
import { memoryCache, MockLLM, openAiLlm } from "../../src/systems/metagpt/index.ts";
import { LLM, think } from "../../src/systems/openmanus/index.ts";
import { streamChunks, readFirstChoice } from "../../src/client/wire/completions.ts";
import { given } from "./bad-input/cells.ts";
import { SETTINGS } from "../systems/openmanus/settings.ts";

const HI = { messages: [user("hi")] };
const called = (name: string, text: string, id = ""): object => ({ id, name, arguments: text });

/** The message and the hint of each failure. */
test.each<readonly [what: string, ask: () => unknown, says: string, hint: string | undefined]>([
  [
    "a script that ran dry",
    () => scriptedClient([]).complete(HI),
    "The script has no answer for call 1: it has 0.",
    "Add an answer to the script, or make fewer calls.",
  ],
  [
    "arguments without an id",
    () => parseArguments(given(called("f", "oops"))),
    "the arguments of f are not JSON",
    undefined,
  ],
  [
    "arguments with an id",
    () => parseArguments(given(called("f", "[1]", "c1"))),
    "the arguments of f (c1) are not an object: [1]",
    undefined,
  ],
  [
    "an answer of MetaGPT's without code",
    () => codeAnswer(readFirstChoice({ choices: [{ message: { role: "assistant", content: null } }] })),
    '{"role":"assistant","content":null}',
    "The model answered with neither a tool call nor a content.",
  ],
  [
    "a map in a batch of MetaGPT's",
    () => new MockLLM({ cache: memoryCache() }).aaskBatch(given([{ a: 1 }])),
    "a map is none here",
    "Use message(…).",
  ],
  [
    "a completion that is whole when a stream was asked for",
    async () => {
      for await (const _ of streamChunks({ choices: [] }));
    },
    "The request asked for a stream, but the answer is not a stream.",
    undefined,
  ],
  [
    "an invalid setting",
    () => fixedClient("").complete({ ...HI, settings: given({ warmth: 1 }) }),
    "settings.warmth: there is no such setting",
    "Put settings of a single provider into `extra`.",
  ],
  [
    "no message for AgentScope's Anthropic model",
    () => new AnthropicChatModel({ modelName: "m", transport: given(() => undefined) }).call([]),
    "Anthropic `messages` must be a list with at least one message, got an empty one.",
    "Give the conversation so far, the user's last message included.",
  ],
  [
    "an empty answer of OpenManus's",
    () =>
      new LLM({
        settings: SETTINGS,
        completions: { create: async () => ({ choices: [{ message: { content: "" } }] }) },
        countText: ({ length }) => length,
      }).ask([{ role: "user", content: "hi" }], { stream: false }),
    "Empty or invalid response from LLM",
    "Try again, or ask for empty answers to be tried again (retriesEmpty).",
  ],
  [
    "an empty message of MetaGPT's",
    () =>
      openAiLlm({ completions: given({ create: () => undefined }), model: "m" }).aask(
        given([{ role: "user" }]),
      ),
    "the message is empty",
    "Leave it out, or say something.",
  ],
  [
    "an invalid plan of faults",
    () => chaosClient(fixedClient(""), given({ plan: 5 })),
    "options.plan: a function is expected, got number",
    undefined,
  ],
  [
    "an agent's step without a list of tools",
    () => think([], given({ llm: { askTool: () => null }, tools: 5 })),
    "options.tools: a list is expected, got number",
    undefined,
  ],
])("%s is reported with a hint", async (_, ask, says, hint) => {
  const failing = (async () => ask())();

  await expect(failing).rejects.toThrow(says);
  await expect(failing).rejects.toMatchObject(hint === undefined ? {} : { hint });
});

test("a failure is known for one also when another copy of this code made it", () => {
  expect(isChatError({ [Symbol.for("llm-tapedeck.chat-error")]: true })).toBe(true);
  expect(isChatError(new Error("no chat"))).toBe(false);
});

test.each<readonly [what: string, events: readonly object[], says: string]>([
  [
    "comes after the end",
    [
      { type: "finish", reason: "stop" },
      { type: "text", index: 0, text: "a" },
    ],
    "A text piece of the stream came after the end of the answer (index 0).",
  ],
  [
    "has no place",
    [{ type: "text", index: -1, text: "a" }],
    "A text piece of the stream has no place in the message (index -1).",
  ],
  [
    "has another one's place",
    [
      { type: "text", index: 2, text: "a" },
      { type: "media", index: 2, part: { type: "image", source: { kind: "url", url: "https://a" } } },
    ],
    "A media piece of the stream has the index of another part (index 2).",
  ],
])("a piece of a stream that %s is reported with its index", async (_, events, says) => {
  const streaming = (async function* () {
    yield* events;
  })();

  await expect(collect(given(streaming))).rejects.toThrow(says);
});
