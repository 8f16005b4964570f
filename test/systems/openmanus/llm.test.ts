import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { chatError, isChatError, statusError, type ChatError } from "../../../src/client/errors.ts";
import { createBudget } from "../../../src/systems/openmanus/budget.ts";
import { clientKind } from "../../../src/systems/openmanus/open-manus.ts";
import { LLM, type LlmOptions } from "../../../src/systems/openmanus/index.ts";
import { seededSurroundings, type LogEntry } from "../../../src/client/surroundings.ts";
import { call, streamOf } from "./call.ts";
import { SETTINGS } from "./settings.ts";
import { goldenFile } from "../../client/golden.ts";

const golden = goldenFile("openmanus-calls");

golden.test(
  "ask, askTool and askWithImages send, check, count and log as OpenManus [OM-11, OM-12, OM-13, OM-18, OM-19, OM-20, OM-21, OM-22, OM-23, OM-24, OM-25, OM-26, OM-27, OM-D1, OM-D2, OM-D10, OM-D11, OM-D12, OM-I1, OM-I2]",
  {
    rows: ({ input }) => input.method !== undefined,
    run: call,
    reduce: (value) => {
      // Printed text goes to a callback.
      const { printed: _, ...rest } = value as { printed?: unknown };
      return rest;
    },
  },
);

golden.test("the limit holds for all input together, and exactly the limit passes [OM-10, OM-11]", {
  rows: ({ name }) => name.startsWith("limit-"),
  run({ input }) {
    const budget = createBudget(input.max_input_tokens, { input: input.total_input_tokens });
    return { allowed: budget.allows(input.needed), message: budget.limitMessage(input.needed) };
  },
});

golden.test("one client a name [OM-28, OM-30, OM-D4]", {
  rows: ({ name }) => name === "singleton",
  run: async ({ expected }) => (await import("./singleton.ts")).singleton(Object.keys(expected.encoding_for)),
});
golden.done();

test("connection errors, timeouts, 408, 409, 429, and 5xx are retried, other failures are not [OM-I1, OM-I2]", async () => {
  const failures = [
    chatError("connection", "c"),
    chatError("timeout", "t"),
    ...[408, 409, 429, 500, 529, 400, 401, 403, 404, 422].map((status) =>
      statusError(status, String(status)),
    ),
  ];

  const tries = await Promise.all(
    failures.map(async (failure) => {
      let count = 0;
      const create = async (): Promise<never> => {
        count += 1;
        throw failure;
      };
      const error: unknown = await anLlm({ completions: { create }, tries: 3 })
        .ask(HI)
        .catch((thrown: unknown) => thrown);
      expect(error).toBe(failure);
      expect((error as ChatError).tries).toBe(count);
      return count;
    }),
  );

  expect(tries).toEqual([3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1]);
});

test("a provider that names a time to wait is given it, and empty answers are tried again when requested [OM-I1]", async () => {
  const world = seededSurroundings(1);
  const limited = statusError(429, "slow", { retryAfterMs: 40_000 });
  const outcomes: unknown[] = [limited, { choices: [{ message: { content: "" } }] }, ANSWER];
  const create = async (): Promise<unknown> => {
    const outcome = outcomes.shift();
    if (isChatError(outcome)) throw outcome;
    return outcome;
  };

  const text = await anLlm({ completions: { create }, retriesEmpty: true, surroundings: world }).ask(HI, {
    stream: false,
  });

  expect(text).toBe("answer");
  expect(world.slept[0]).toBe(40_000);
  expect(world.slept).toHaveLength(2);
});

test("tries of a stream that fail are counted apart and never against the limit [OM-D2]", async () => {
  let count = 0;
  const create = async (): Promise<unknown> => {
    count += 1;
    if (count < 4) throw chatError("connection", "lost");
    return streamOf(["done"]);
  };
  const llm = anLlm({ completions: { create } });

  await llm.ask(HI);

  expect(llm.budget.totals).toEqual({ input: 12, completion: 4, failedInput: 36 });
  expect(llm.budget.calls).toEqual([{ input: 12, completion: 4, estimated: true }]);
});

test("totals can be reset, split by call and shared, so that a limit once reached is not for ever [OM-I4, OM-D5]", async () => {
  const budget = createBudget(30);
  const create = async (): Promise<unknown> => ANSWER;
  const [a, b] = [anLlm({ completions: { create }, budget }), anLlm({ completions: { create }, budget })];

  await a.ask(HI, { stream: false });
  await b.ask(HI, { stream: false });
  const refused = await a.ask(HI, { stream: false }).catch((error: unknown) => error);
  budget.reset();
  await a.ask(HI, { stream: false });

  expect(refused).toMatchObject({
    name: "TokenLimitExceeded",
    kind: "token-limit",
    message: "Request may exceed input token limit (Current: 20, Needed: 12, Max: 30)",
  });
  expect(budget.totals).toEqual({ input: 10, completion: 5, failedInput: 0 });
  expect(() => createBudget(-1)).toThrow("a whole number from 0");
});

test("tokens are counted by the given service, and by the usage in the answer [OM-I3]", async () => {
  const create = async (): Promise<unknown> => ({ choices: [{ message: { content: "ok" } }] });
  const stub = anLlm({ completions: { create }, countText: () => 100 });
  const told = anLlm({ completions: { create: async () => ANSWER }, countText: () => 100 });

  await stub.ask(HI, { stream: false });
  await told.ask(HI, { stream: false });

  expect(stub.budget.calls).toEqual([{ input: 206, completion: 100, estimated: true }]);
  expect(told.budget.calls).toEqual([{ input: 10, completion: 5, estimated: false }]);
});

test("a stream given for askTool is joined, its tool call pieces merged by index [OM-I5]", async () => {
  const delta = (calls: unknown[]): object => ({ choices: [{ delta: { tool_calls: calls } }] });
  const pieces = [
    delta([{ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }]),
    delta([{ index: 1, id: "b", function: { name: "g", arguments: "{" } }]),
    delta([{ index: 0, function: { arguments: ":1}" } }]),
    delta([{ index: 1, function: { arguments: "}" } }]),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  ];
  const create = async (): Promise<unknown> => Readable.from(pieces);
  const llm = anLlm({ completions: { create } });

  const message = await llm.askTool(HI, { tools: [{ type: "function", function: { name: "f" } }] });

  expect(message?.["tool_calls"]).toEqual([
    { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
    { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
  ]);
  expect(llm.budget.totals).toMatchObject({ input: 3, completion: 2 });
});

test("a stream's pieces go to a callback, and a usage chunk is taken [OM-D11, OM-D12]", async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4 };
  const create = async (): Promise<unknown> =>
    Readable.from([
      { choices: [{ delta: { content: "a" } }] },
      { choices: [{ delta: { content: "b" } }] },
      { choices: [], usage },
    ]);
  const pieces: string[] = [];
  const llm = anLlm({ completions: { create } });

  const text = await llm.ask(HI, { onText: (piece) => pieces.push(piece) });

  expect([text, pieces]).toEqual(["ab", ["a", "b"]]);
  expect(llm.budget.calls).toEqual([{ input: 9, completion: 4, estimated: false }]);
});

test("which models reason is a rule that can be given [OM-D16]", async () => {
  const sent: object[] = [];
  const create = async (params: object): Promise<unknown> => {
    sent.push(params);
    return ANSWER;
  };
  const isReasoning = (model: string): boolean => /^(o\d|gpt-5)/.test(model);
  const settings = { ...SETTINGS, model: "gpt-5" };

  await anLlm({ completions: { create }, settings }).ask(HI, { stream: false });
  await anLlm({ completions: { create }, settings, isReasoning }).ask(HI, { stream: false });

  expect(sent[0]).toHaveProperty("temperature");
  expect(sent[1]).toMatchObject({ max_completion_tokens: 4096 });
  expect(sent[1]).not.toHaveProperty("temperature");
});

test("logs contain no key, and clients are made by the kind of their settings [OM-I6, OM-28]", async () => {
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry): void => void logged.push(entry);
  const settings = { ...SETTINGS, api_key: "very-secret" };
  const create = async (): Promise<never> => {
    throw statusError(401, "bad");
  };

  const llm = anLlm({ settings, completions: { create }, surroundings: { log } });
  await llm.ask(HI).catch(() => undefined);

  expect(JSON.stringify([llm, logged])).not.toContain("very-secret");
  expect(["azure", "aws", "", "ollama"].map((type) => clientKind({ api_type: type }))).toEqual([
    "azure",
    "bedrock",
    "openai",
    "openai",
  ]);
});

const HI = [{ role: "user", content: "hi" }];
const ANSWER = {
  choices: [{ message: { content: "answer" } }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
};

function anLlm(options: Partial<LlmOptions>): LLM {
  return new LLM({
    settings: SETTINGS,
    completions: { create: async () => ANSWER },
    countText: (text) => text.length,
    surroundings: seededSurroundings(1),
    ...options,
  });
}

test("a call has five minutes, or its own number of seconds", async () => {
  const given: unknown[] = [];
  const create = async (_: unknown, options: unknown): Promise<unknown> => {
    given.push(options);
    return ANSWER;
  };
  const llm = anLlm({ completions: { create } });

  await llm.askTool(HI);
  await llm.askTool(HI, { timeout: 2 });

  expect(given).toMatchObject([{ timeoutMs: 300_000 }, { timeoutMs: 2_000 }]);
});
