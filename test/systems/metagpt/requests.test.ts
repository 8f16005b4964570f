import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import { codeAnswer } from "../../../src/systems/metagpt/code-answer.ts";
import { maskBase64Data, message as saying } from "../../../src/systems/metagpt/message.ts";
import { MockLLM } from "../../../src/systems/metagpt/mock-llm.ts";
import { openAiLlm } from "../../../src/systems/metagpt/openai-llm.ts";
import { memoryCache } from "../../../src/systems/metagpt/cache/response-cache.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { readFirstChoice, type Completions } from "../../../src/client/wire/completions.ts";
import { given as untyped } from "../../client/bad-input/cells.ts";
import { goldenFile } from "../../client/golden.ts";

const golden = goldenFile("metagpt-requests");

golden.test("aask sends MetaGPT's messages [MG-25, MG-26, MG-30]", {
  rows: ({ name }) => name.startsWith("original_aask-"),
  async run({ input: { args, model, use_system_prompt: useSystemPrompt } }) {
    const { completions, sent } = answering(["R"]);
    const llm = openAiLlm({ completions, model, useSystemPrompt });
    const { msg, system_msgs: systemMsgs, format_msgs: formatMsgs, ...rest } = args;

    const answer = await llm.aask(msg, { systemMsgs, formatMsgs, ...rest });

    return { answer, ...sent[0] };
  },
});

golden.test("aaskBatch asks one by one with the whole dialogue so far [MG-27]", {
  rows: ({ name }) => name.startsWith("original_aask_batch-"),
  async run({ input: { msgs, answers } }) {
    const { completions, sent } = answering(answers);

    const answer = await openAiLlm({ completions, model: "gpt-4-turbo" }).aaskBatch(msgs);

    return { answer, requests: sent };
  },
});

golden.test("a code answer is read from arguments or content, as MetaGPT reads it [MG-29]", {
  rows: ({ name }) => name.startsWith("function_arguments-"),
  run({ input: { tool_call_arguments: texts, content } }) {
    const calls = texts?.map((text: string) => ({ function: { name: "execute", arguments: text } }));
    const completion = { choices: [{ message: { content, ...(calls && { tool_calls: calls }) } }] };
    // The original ran with its fence parser put out of action.
    return codeAnswer(readFirstChoice(completion), (fenced) => fenced);
  },
  // The value shown in the message is the language's own.
  reduce: (value) => {
    const { error } = value as { error?: { message: string } };
    return error === undefined ? value : error.message.slice(0, 17);
  },
});

test.each([
  ["a name of the language and an inner fence", "```py\na = '```'\nb\n```", "a = '```'\nb"],
  ["a next line for a blank", "```\u0085a\n```", "a"],
  ["a byte order mark, which is none", "```\ufeffa b\n```", "b"],
  ["two fences", "```python\nx\n```\n```\ny\n```", "x"],
  ["no line end before the fence", "```python\nprint(1)```", "```python\nprint(1)```"],
])("the code of a fence is found as MetaGPT finds it: %s [MG-29]", (_, content, code) => {
  const choice = readFirstChoice({ choices: [{ message: { content } }] });

  expect(codeAnswer(choice)).toEqual({ language: "python", code });
});

golden.test("only connection errors of the real client are tried again, with a random wait [MG-31]", {
  rows: ({ name }) => name.startsWith("retry-"),
  async run({ input: { outcomes, class: name } }) {
    const script = [...outcomes];
    let attempts = 0;
    const completions: Completions = {
      async create() {
        attempts += 1;
        const outcome: string = script.shift() ?? "ok";
        if (outcome === "connection") throw chatError("connection", "Connection error.");
        if (outcome === "timeout") throw chatError("timeout", "Request timed out.");
        if (outcome === "value") throw new Error("v");
        return { choices: [{ message: { content: "ok" } }] };
      },
    };
    const world = seededSurroundings(1);
    const real = openAiLlm({ completions, model: "m", surroundings: { ...world, random: () => 1 } });
    const llm =
      name === "MockLLM" ? new MockLLM({ cache: memoryCache(), live: real, allowLive: true }) : real;
    const result = await llm
      .aask("hi", { stream: false })
      .catch((error: unknown) => ({ error: named(error) }));
    return { result, attempts, max_waits_s: world.slept.map((ms) => ms / 1000) };
  },
});

golden.test("a log never shows a picture [MG-32]", {
  rows: ({ name }) => name.startsWith("mask-"),
  run: ({ input }) => maskBase64Data(input),
});
golden.done();

const MINE = { type: "function", function: { name: "mine" } };

test("aaskCode offers one tool to execute code when the caller names none [MG-28]", async () => {
  const { completions, params } = answering(["x", "x"]);
  const llm = openAiLlm({ completions, model: "m" });

  await llm.aaskCode("print hello");
  await llm.aaskCode("print hello", { tools: [MINE], tool_choice: "auto" });

  const [own, given] = params;
  const languages = ["python", "R", "shell", "applescript", "javascript", "html", "powershell"];
  const properties = { language: { type: "string", enum: languages }, code: { type: "string" } };
  const parameters = { type: "object", properties, required: ["language", "code"] };
  expect(own?.["tools"]).toMatchObject([{ type: "function", function: { name: "execute", parameters } }]);
  expect(given).toMatchObject({ tools: [MINE], tool_choice: "auto" });
});

test("a message of MetaGPT's is sent with its role and content alone [MG-25]", async () => {
  const { completions, params } = answering(["x"]);

  await openAiLlm({ completions, model: "m" }).aask([
    saying("one", { role: "assistant" }),
    untyped(new Map(Object.entries({ role: "user", content: "two", more: 1 }))),
  ]);

  expect(params[0]?.["messages"]).toEqual([
    { role: "system", content: "You are a helpful assistant." },
    { role: "assistant", content: "one" },
    { role: "user", content: "two", more: 1 },
  ]);
});

test("a streamed answer takes its usage from the last chunk, the choice, or an estimate, and keeps thoughts apart [MG-33]", async () => {
  const delta = (content: string, more: object = {}): object => ({
    choices: [{ delta: { content }, ...more }],
  });
  const usage = { prompt_tokens: 7, completion_tokens: 2 };
  const streams = [
    [{ choices: [{ delta: { reasoning_content: "hm" } }] }, delta("a"), { choices: [], usage }],
    [delta("a"), delta("b", { finish_reason: "stop", usage })],
    [delta("abc")],
    // MetaGPT drops the content of a chunk that has reasoning as well.
    [{ choices: [{ delta: { reasoning_content: "hm", content: "lost" } }] }, delta("abc")],
  ];

  const told = await Promise.all(
    streams.map(async (chunks) => {
      const completions: Completions = { create: async () => Readable.from(chunks) };
      const llm = openAiLlm({ completions, model: "m", countTokens: (text) => text.length });
      const text = await llm.aask("hi", { systemMsgs: ["s"] });
      const { uncachedInputTokens, outputTokens } = llm.usage;
      return { text, reasoning: llm.reasoning, used: [uncachedInputTokens, outputTokens] };
    }),
  );

  expect(told).toEqual([
    { text: "a", reasoning: "hm", used: [7, 2] },
    { text: "ab", reasoning: "", used: [7, 2] },
    { text: "abc", reasoning: "", used: [4, 3] },
    { text: "abc", reasoning: "hm", used: [4, 3] },
  ]);
});

interface SdkRequest {
  readonly messages: unknown;
  readonly stream: boolean;
  readonly timeout: number;
}

function answering(answers: readonly string[]) {
  const queue = [...answers];
  const sent: SdkRequest[] = [];
  const params: Readonly<Record<string, unknown>>[] = [];
  const completions: Completions = {
    async create(given, { timeoutMs = 0 }) {
      const stream = given["stream"] === true;
      params.push(given);
      sent.push({ messages: given["messages"], stream, timeout: timeoutMs / 1000 });
      const content = queue.shift() ?? "";
      return stream
        ? Readable.from([{ choices: [{ delta: { content } }] }])
        : { choices: [{ message: { content } }] };
    },
  };
  return { completions, sent, params };
}

function named(error: unknown): object {
  const { message, kind } = error as { message: string; kind: string };
  return { type: kind === "unknown" ? "ValueError" : "APIConnectionError", message };
}
