import { expect, test } from "vitest";
import type { CallEvent } from "../../src/core/call/call.ts";
import type { ContextLimits } from "../../src/core/call/mocks.ts";
import { aProject, chatOf } from "./a-project.ts";

type ProviderRequest = readonly [provider: string, path: string, body: unknown];

const HI = [{ role: "user", content: "hi" }];
const LONG = "word ".repeat(20);
const chat = (texts: readonly string[], more: Readonly<Record<string, unknown>> = {}): ProviderRequest => [
  "openai",
  "/v1/chat/completions",
  chatOf(texts, more),
];
const messages = (list: readonly object[], more: object = {}): ProviderRequest => [
  "anthropic",
  "/v1/messages",
  { model: "claude-haiku-4-5", max_tokens: 7, messages: list, ...more },
];

/** Returns the reasons that a lenient run of a project with these limits reports, in the order of the calls. */
async function toldOf(
  context: ContextLimits,
  calls: readonly ProviderRequest[],
  reply: unknown = { reply: { text: "a", usage: { inputTokens: 100, outputTokens: 50 } } },
): Promise<readonly CallEvent[]> {
  const project = aProject({ context });
  await project.say({ lenient: { script: [{ ...(reply as object), times: "always" }] } });
  const run = project.deck.createRun("lenient");
  const events: CallEvent[] = [];
  for (const [provider, path, body] of calls) events.push(await project.ask(body, { provider, path, run }));
  return events;
}

const MADE_UP = "No recording matches, so reply 1 of the script answered.";

/** Returns the reported sentences without the one of lenient mode. */
const beside = ({ reason = "" }: CallEvent): string => reason.replace(MADE_UP, "").trim();
const full = (needed: number, most: number): string =>
  `The context would be full: ${needed} of ${most} tokens.`;

test.each<readonly [what: string, call: ProviderRequest, needed: number]>([
  ["nothing, when no model is named", chat(["hi"]), 5_097],
  ["max_tokens", chat(["hi"], { max_tokens: 7 }), 1_008],
  ["max_completion_tokens", chat(["hi"], { max_completion_tokens: 7 }), 1_008],
  [
    "max_output_tokens",
    ["openai", "/v1/responses", { model: "m", input: "hi", max_output_tokens: 7 }],
    1_008,
  ],
  ["Anthropic's max_tokens", messages(HI), 1_008],
  [
    "Gemini's maxOutputTokens",
    [
      "gemini",
      "/v1beta/models/gemini-2.5-flash:generateContent",
      { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: { maxOutputTokens: 7 } },
    ],
    1_008,
  ],
  [
    "DashScope's parameters",
    [
      "dashscope",
      "/api/v1/services/aigc/text-generation/generation",
      { model: "qwen-max", input: { messages: HI }, parameters: { max_tokens: 7 } },
    ],
    1_008,
  ],
  ["a single token", chat(["hi"], { max_tokens: 1 }), 1_002],
  ["a number below 0, which is none", chat(["hi"], { max_tokens: -1 }), 5_097],
  ["a text, which is none", chat(["hi"], { max_tokens: "7" }), 5_097],
  ["half as many again of the last question alone", chat(["hi", "hi", LONG], { max_tokens: 7 }), 1_038],
])("what an answer may take is read from %s", async (_, call, needed) => {
  const [told] = await toldOf({ maxContextTokens: 1, over: "tell" }, [call]);

  expect(told?.outcome).toBe("defaulted");
  expect(beside(told!)).toBe(full(needed, 1));
});

test.each<readonly [ContextLimits, string]>([
  [{ maxContextTokens: 5_097, over: "tell" }, full(5_097, 5_097)],
  [{ maxContextTokens: 5_098, over: "tell" }, ""],
  [{ maxContextTokens: 1_010, maxOutputTokens: 9, over: "tell" }, full(1_010, 1_010)],
  [{ maxContextTokens: 1_011, maxOutputTokens: 9, over: "tell" }, ""],
])("a context is full with its last token: %j", async (limits, says) => {
  const [told] = await toldOf(limits, [chat(["hi"])]);

  expect(beside(told!)).toBe(says);
});

test("what a call took counts for the next one of its test to its model", async () => {
  const limits = { maxContextTokens: 1_158, over: "tell" } as const;
  const calls = [
    chat(["hi"], { max_tokens: 7 }),
    chat(["hi"], { max_tokens: 7 }),
    chat(["hi"], { max_tokens: 7, model: "o3" }),
  ];

  const told = await toldOf(limits, calls);

  expect(told.map(beside)).toEqual(["", full(1_158, 1_158), ""]);
});

test("input counts as the answer's usage reports, or else by the size of its request", async () => {
  const over = (used: number, needed: number, most: number): string =>
    `Request may exceed input token limit (Current: ${used}, Needed: ${needed}, Max: ${most})`;

  const said = await toldOf({ maxInputTokens: 120 }, [chat(["hi"]), chat([LONG])]);
  const streamed = await toldOf({ maxInputTokens: 20 }, [chat(["hi"], { stream: true }), chat([LONG])]);
  const failed = await toldOf({ maxInputTokens: 20 }, [chat(["hi"]), chat([LONG])], { status: 503 });
  const bad = await toldOf({ maxInputTokens: 20 }, [chat(["hi"]), chat([LONG])], { status: 400 });
  const silent = await toldOf({ maxInputTokens: 20 }, [chat(["hi"]), chat([LONG])], { reply: "a" });
  const exact = await toldOf({ maxInputTokens: 8 }, [chat(["hi"])]);

  expect(said.map(beside)).toEqual(["", over(100, 28, 120)]);
  expect(streamed.map(beside)).toEqual(["", over(8, 28, 20)]);
  expect(failed.map(beside)).toEqual(["", over(0, 28, 20)]);
  expect(bad.map(beside)).toEqual(["", over(0, 28, 20)]);
  expect(silent.map(beside)).toEqual(["", over(8, 28, 20)]);
  expect(exact.map(beside)).toEqual([""]);
});

test("a call over a reported limit still counts, and each limit is reported separately", async () => {
  const limits = { maxInputTokens: 120, maxContextTokens: 1_158, over: "tell" } as const;
  const call = chat([LONG], { max_tokens: 7 });
  const input = (used: number): string =>
    `Request may exceed input token limit (Current: ${used}, Needed: 28, Max: 120)`;

  const told = await toldOf(limits, [call, call, call]);

  expect(told.map(({ outcome }) => outcome)).toEqual(["defaulted", "defaulted", "defaulted"]);
  expect(told.map(beside)).toEqual([
    "",
    `${input(100)} ${full(1_188, 1_158)}`,
    `${input(200)} ${full(1_188, 1_158)}`,
  ]);
});

test("a call over the limit fails the run with a hint and uses no take of its recording", async () => {
  const project = aProject({ context: { maxInputTokens: 0 } });
  await project.say({ lenient: { reply: "made up" } });
  const run = project.deck.createRun("lenient");

  const told = await project.ask(chatOf(["hi"]), { run });

  expect(told).toMatchObject({ outcome: "refused", failedWith: 400, failsRun: true });
  expect(told.hint).toBe("Shorten the conversation, raise the limit, or reset the count.");
  expect(run.counts.count(told.key!)).toBe(1);
});

const USED = { type: "tool_use", id: "t", name: "f", input: { a: 1 } };
const answered = (content: unknown): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content }],
});
const TOOL = {
  type: "function",
  function: { name: "f", description: "does", parameters: { type: "object", properties: {} } },
};

test.each<readonly [what: string, call: ProviderRequest, needed: number]>([
  ["tools", chat(["hi"], { tools: [TOOL] }), 34],
  ["a system prompt", messages(HI, { system: "be short" }), 15],
  [
    "a tool's result as a text",
    messages([...HI, { role: "assistant", content: [USED] }, answered("res")]),
    26,
  ],
  [
    "a tool's result as parts",
    messages([...HI, { role: "assistant", content: [USED] }, answered([{ type: "text", text: "res" }])]),
    26,
  ],
  [
    "a text beside a call",
    messages([...HI, { role: "assistant", content: [{ type: "text", text: "a" }, USED] }, answered("res")]),
    27,
  ],
])("input of a call counts %s", async (_, call, needed) => {
  const [told] = await toldOf({ maxInputTokens: 0 }, [call]);

  expect(told?.reason).toContain(`Needed: ${needed}, Max: 0`);
});

test("a limit that cannot be checked for a call is reported, and the call is answered", async () => {
  const [told] = await toldOf({ maxInputTokens: 5_000 }, [chat(["hi"], { max_tokens: 0 })]);

  expect(told?.outcome).toBe("defaulted");
  expect(beside(told!)).toMatch(/^The context limits cannot be checked: settings\.maxOutputTokens: /u);
});

test("old results are reported with the size that the call would have without them, for every provider", async () => {
  const old = "old ".repeat(30);
  const used = { id: "t", type: "function", function: { name: "f", arguments: "{}" } };
  const ofOpenai = [
    ...HI,
    { role: "assistant", content: null, tool_calls: [used] },
    { role: "tool", tool_call_id: "t", content: old },
    { role: "assistant", content: "x" },
    { role: "user", content: "more" },
  ];
  const ofAnthropic = [
    ...HI,
    { role: "assistant", content: [{ ...USED, input: {} }] },
    answered(old),
    { role: "assistant", content: "x" },
    { role: "user", content: "more" },
  ];
  const left = "the call leaves 1 old result out: 23 of its 64 tokens.";

  const told = await toldOf({ keepToolResults: 1 }, [
    ["openai", "/v1/chat/completions", { model: "gpt-4o", messages: ofOpenai }],
    messages(ofAnthropic),
    chat(["hi", "a", "b"]),
  ]);
  const [both] = await toldOf({ keepToolResults: 0, maxContextTokens: 5, over: "tell" }, [
    chat(["hi", "a", old, "b", old]),
  ]);

  expect(told.map(beside)).toEqual([`With keepToolResults 1 ${left}`, `With keepToolResults 1 ${left}`, ""]);
  expect(beside(both!)).toMatch(
    /^The context .* With keepToolResults 0 the call leaves 2 old results out: /u,
  );
});

test("old results that are shorter than the note in their place save nothing", async () => {
  const [told] = await toldOf({ keepToolResults: 1 }, [chat(["hi", "a", "b", "c", "d"])]);

  expect(beside(told!)).toMatch(
    /^With keepToolResults 1 the call leaves 1 old result out: 0 of its \d+ tokens\.$/u,
  );
});

test("texts to embed have no context", async () => {
  const body = { model: "text-embedding-3-small", input: "hi" };
  const [told] = await toldOf({ maxContextTokens: 1, maxInputTokens: 0 }, [
    ["openai", "/v1/embeddings", body],
  ]);

  expect(told?.outcome).toBe("defaulted");
  expect(beside(told!)).toBe("");
});
