import { expect, test } from "vitest";
import { z } from "zod";
import {
  contextGuarded,
  fixedClient,
  parseArguments,
  readOutput,
  scriptedClient,
  unavailable,
  user,
} from "../../src/client/index.ts";
import { codeAnswer } from "../../src/client/vocabularies/metagpt/code-answer.ts";
import { memoryCache, MockLLM } from "../../src/client/vocabularies/metagpt/index.ts";
import { firstChoice } from "../../src/client/wire/completions.ts";
import { given } from "./bad-input/cells.ts";

const HI = { messages: [user("hi")] };
const called = (name: string, text: string, id = ""): object => ({ id, name, arguments: text });
const person = { schema: z.object({ name: z.string(), age: z.number() }) };

/** What each failure says, and what it says to do. */
test.each<readonly [what: string, ask: () => unknown, says: string, hint: string | undefined]>([
  [
    "a script that ran dry",
    () => scriptedClient([]).complete(HI),
    "The script has no answer for call 1: it has 0.",
    "Add an answer to the script, or make fewer calls.",
  ],
  [
    "a context that would be full",
    () =>
      contextGuarded(fixedClient("hi"), {
        countTokens: () => 50,
        maxOutputTokens: 1,
        maxContextTokens: 10,
      }).complete(HI),
    "The context would be full",
    "Roll the history back, or sum it up.",
  ],
  ["an answer with two faults", () => readOutput(person, '{"name":1,"age":"x"}'), "; output.age", undefined],
  [
    "arguments without an id",
    () => parseArguments(given(called("f", "oops"))),
    "the arguments of f are no JSON",
    undefined,
  ],
  [
    "arguments with an id",
    () => parseArguments(given(called("f", "[1]", "c1"))),
    "the arguments of f (c1) are no object: [1]",
    undefined,
  ],
  [
    "an answer of MetaGPT's without code",
    () => codeAnswer(firstChoice({ choices: [{ message: { role: "assistant", content: null } }] })),
    '{"role":"assistant","content":null}',
    "The model answered with neither a tool call nor a content.",
  ],
  [
    "a map in a batch of MetaGPT's",
    () => new MockLLM({ cache: memoryCache() }).aaskBatch(given([{ a: 1 }])),
    "a map is none here",
    "Use message(…).",
  ],
])("%s is told with what to do", async (_, ask, says, hint) => {
  const failing = (async () => ask())();

  await expect(failing).rejects.toThrow(says);
  await expect(failing).rejects.toMatchObject(hint === undefined ? {} : { hint });
});

test("a service that is unavailable says so in its provider's words", () => {
  expect(unavailable()).toMatchObject({
    kind: "error",
    error: { status: 503, message: "Service temporarily unavailable" },
  });
});
