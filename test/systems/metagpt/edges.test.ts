import { expect, test } from "vitest";
import { chatError, seededSurroundings } from "../../../src/client/index.ts";
import { codeAnswer } from "../../../src/systems/metagpt/code-answer.ts";
import { isMessage } from "../../../src/systems/metagpt/message.ts";
import { MockLLM } from "../../../src/systems/metagpt/mock-llm.ts";
import { openAiLlm } from "../../../src/systems/metagpt/openai-llm.ts";
import { memoryCache } from "../../../src/systems/metagpt/cache/response-cache.ts";

test("a message of another copy of this code is a message", () => {
  expect(isMessage({ [Symbol.for("llm-tapedeck.metagpt-message")]: true, content: "a" })).toBe(true);
});

const BY = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } };
const answer = (content: string): object => ({ choices: [{ message: { content } }], usage: BY });

test("a call's settings, wait and log are MetaGPT's, and its usage is counted", async () => {
  const sent: unknown[] = [];
  const surroundings = seededSurroundings(1);
  const completions = {
    create: async (params: object, options: object) => {
      sent.push([params, options]);
      return answer("yes");
    },
  } as never;
  const llm = openAiLlm({ completions, model: "m", surroundings });
  const messages = [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content: "hi" },
  ];

  expect(await llm.aask("hi", { stream: false, timeout: 7 })).toBe("yes");
  await openAiLlm({ completions, model: "o1-mini", timeout: 5 }).aask("hi", { stream: false });
  await openAiLlm({ completions, model: "m", temperature: 0.5, maxTokens: 9 }).aask("hi", { stream: false });

  expect(sent).toEqual([
    [{ messages, max_tokens: 4_096, temperature: 0, model: "m" }, { timeoutMs: 7_000 }],
    [expect.objectContaining({ temperature: 1, model: "o1-mini" }), { timeoutMs: 5_000 }],
    [expect.objectContaining({ temperature: 0.5, max_tokens: 9 }), expect.objectContaining({})],
  ]);
  expect((sent[1] as [object])[0]).not.toHaveProperty("max_tokens");
  expect(surroundings.logged).toEqual([{ level: "debug", message: JSON.stringify(messages) }]);
  expect(llm.usage).toMatchObject({ uncachedInputTokens: 7, cacheReadTokens: 3, outputTokens: 4 });
});

test.each<readonly [choice: object | undefined, says: string, hint: string]>([
  [undefined, "Failed to parse \n null\n", "The model answered with neither a tool call nor a content."],
  [
    { toolCalls: [{ arguments: "code" }] },
    "Parse code error for code",
    "The arguments contain no quoted code.",
  ],
])("an answer %j without code is described in the error", (choice, says, hint) => {
  let told: unknown;
  try {
    codeAnswer(choice as never);
  } catch (error) {
    told = error;
  }
  expect(told).toMatchObject({ kind: "empty", message: says, hint });
});

test.each([
  ["``````", "python"],
  ["```a", "markdown"],
  ["a```", "markdown"],
  ["````", "python"],
  ["```", "python"],
  ["plain", "markdown"],
])("the content %j is %s", (content, language) => {
  expect(codeAnswer({ content } as never)).toMatchObject({ language });
});

test("the mock can be removed again, also from a client with own methods", () => {
  const target = { aask: async () => "own" } as Record<string, unknown>;
  const { aask: own } = target;
  const standing = new MockLLM({ cache: memoryCache() }).standInFor(target);

  target["aaskCode"] = 5;
  standing.dispose();

  expect(target).toEqual({ aask: own });
});

test("live answers are remembered at once when requested, failures are not, and clearing forgets", async () => {
  let asked = 0;
  const logged: unknown[] = [];
  const live = {
    aask: async () => {
      asked += 1;
      if (asked === 1) throw chatError("timeout", "slow");
      return `answer ${asked}`;
    },
  } as never;
  const llm = new MockLLM({
    cache: memoryCache(),
    live,
    onMiss: "warn-and-live",
    rememberAtOnce: true,
    log: (entry) => void logged.push(entry),
  });
  const long = "q".repeat(150);

  await expect(llm.aask(long)).rejects.toThrow("slow");
  expect([await llm.aask(long), await llm.aask(long)]).toEqual(["answer 2", "answer 2"]);
  llm.clearCandidates();
  expect(await llm.aask(long)).toBe("answer 3");
  expect(logged[0]).toEqual({
    level: "warning",
    message: `Not in the response cache, asking live: ${"q".repeat(100)}`,
  });
  await expect(new MockLLM({ cache: memoryCache(), allowLive: true }).aask("q")).rejects.toThrow(
    "live calls are allowed, but there is no client to make them",
  );
});
