import { expect, test } from "vitest";
import { given } from "../../client/bad-input/cells.ts";
import { answering, responsesOf, scripted } from "./scripted-models.ts";

const messages = [{ role: "user", content: "hi" }];

/** The content of every response that a model gives to one call. */
const toldBy = async ({ model }: Pick<ReturnType<typeof scripted<"anthropic" | "openai">>, "model">) =>
  (await responsesOf(await model.call(messages))).map(({ content }) => content);

test("blocks of Anthropic that lack their fields are empty, and those of no known kind are left out", async () => {
  const content = [{ type: "thinking" }, { type: "text" }, { type: "tool_use" }, { type: "odd" }];

  expect(await toldBy(answering("anthropic", { content }))).toEqual([
    [
      { type: "thinking", thinking: "", signature: "" },
      { type: "tool_use", id: "", name: "", input: {} },
    ],
  ]);
});

test("a tool without its function is refused by Anthropic's model", async () => {
  const { model } = answering("anthropic", {});
  const tool = { type: "function", name: "f" };

  await expect(model.call(messages, { tools: [given(tool)] })).rejects.toMatchObject({
    message: `Invalid schema: ${JSON.stringify(tool)}, expect key 'function'.`,
    where: "tools",
  });
});

test("signed thoughts without text are at the end of Anthropic's stream", async () => {
  const chunks = [
    { type: "message_start", message: { id: "r", usage: { input_tokens: 1 } } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hi" } },
    { type: "message_delta", usage: { output_tokens: 1 } },
  ];

  const told = await toldBy(scripted("anthropic", [{ chunks }]));

  expect(told.at(-1)).toEqual([
    { type: "thinking", thinking: "", signature: "s" },
    { type: "text", text: "hi" },
  ]);
});

test.each([
  ["returns nothing before there is usage", undefined, ["a", "ab", "ab"]],
  ["returns the same again with usage", { prompt_tokens: 1, completion_tokens: 1 }, ["a", "a", "ab", "ab"]],
])("a chunk without a choice %s", async (_what, usage, texts) => {
  const text = (content: string): object => ({ id: "r", choices: [{ delta: { content } }] });
  const chunks = [text("a"), { id: "r", choices: [], usage }, text("b")];

  const told = await toldBy(scripted("openai", [{ chunks }]));

  expect(told).toEqual(texts.map((one) => [{ type: "text", text: one }]));
});

test("when arguments are read only at the end, a text without calls is not repeated for them", async () => {
  const chunks = [{ id: "r", choices: [{ delta: { content: "a" } }] }];
  const told = async (streamToolParsing: boolean): Promise<number> =>
    (await toldBy(scripted("openai", [{ chunks }], { streamToolParsing }))).length;

  expect(await told(false)).toBe(await told(true));
});

test.each([
  ["gpt-4o-OMNI", "data:;base64,AAAA"],
  ["gpt-4o", "AAAA"],
])(
  "audio is sent to %s as %s; other parts and the caller's messages stay unchanged [AS-D10]",
  async (modelName, data) => {
    const { model, sent } = answering("openai", {}, { modelName });
    const sound = (of: string): object => ({ type: "input_audio", input_audio: { data: of, format: "wav" } });
    const text = { type: "text", text: "hi" };
    const linked = sound("https://a.test/x.wav");
    const content = [sound("AAAA"), linked, text];

    await model.call([{ role: "user", content }]);

    expect(sent).toMatchObject([{ messages: [{ content: [sound(data), linked, text] }] }]);
    expect(content).toEqual([sound("AAAA"), linked, text]);
  },
);

test.each<readonly [generateKwargs: object, effort: string]>([
  [{}, "low"],
  [{ reasoning_effort: "high" }, "high"],
])("the effort of a model is that of the call when it has one: %j", async (generateKwargs, effort) => {
  const { model, sent } = answering("openai", {}, { reasoningEffort: "low" });

  await model.call(messages, { generateKwargs: { ...generateKwargs } });

  expect(sent).toMatchObject([{ reasoning_effort: effort }]);
});

test("no choice of a tool is sent for an empty one", async () => {
  const { model, sent } = answering("dashscope", { status_code: 200 });

  await model.call(messages, {
    tools: [{ type: "function", function: { name: "f", description: "", parameters: {} } }],
    toolChoice: "",
  });

  expect(sent[0]).not.toHaveProperty("tool_choice");
});

test("Gemini's empty structured answer has nothing of the structure", async () => {
  const { model } = answering("gemini", { candidates: [] });

  const [answer] = await responsesOf(
    await model.call(messages, { structuredModel: { schema: { type: "object" } } }),
  );

  expect(answer?.metadata).toBeNull();
});
