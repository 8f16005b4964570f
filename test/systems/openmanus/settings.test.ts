import { expect, test } from "vitest";
import { createBudget, createTokenLimitExceeded } from "../../../src/systems/openmanus/budget.ts";
import {
  assistantMessage,
  formatMessages,
  systemMessage,
  toolMessage,
  userMessage,
} from "../../../src/systems/openmanus/messages.ts";
import { loadConfig, readSettings } from "../../../src/systems/openmanus/settings.ts";
import { given } from "../../client/bad-input/cells.ts";
import { highDetailTokens } from "../../../src/systems/openmanus/token-counter.ts";
import { aManus, configFolder } from "./singleton.ts";

const LLM = { model: "m", base_url: "u", api_key: "k" };
const ofNumber = "Input should be a valid number";
const ofInteger = "Input should be a valid integer";

test.each<readonly [fields: object, says: string]>([
  [{ max_tokens: 1.5 }, `${ofInteger}, got a number with a fractional part`],
  [{ max_tokens: -1 }, `${ofInteger}, got a negative number`],
  ...["1.5", "many", " ", "1__0", "_10", "0x10", "1e3"].map(
    (text) => [{ max_tokens: text }, `${ofInteger}, unable to parse string as an integer`] as const,
  ),
  [{ max_tokens: [] }, ofInteger],
  [{ max_input_tokens: -1 }, `${ofInteger}, got a negative number`],
  [{ temperature: "warm" }, `${ofNumber}, unable to parse string as a number`],
  [{ temperature: [] }, ofNumber],
])("the settings %j are refused in words", (fields, says) => {
  expect(() => readSettings({ file: { llm: { ...LLM, ...fields } } })).toThrow(says);
});

test("numbers are read from texts, and omitted settings have their default", () => {
  const read = (fields: object) => readSettings({ file: { llm: { ...LLM, ...fields } } })["default"];

  expect(read({ max_tokens: " 16 ", temperature: -0.5, max_input_tokens: 5n })).toEqual({
    ...LLM,
    max_tokens: 16,
    max_input_tokens: 5,
    temperature: -0.5,
    api_type: "",
    api_version: "",
  });
  expect(read({ max_tokens: 0, max_input_tokens: null })).toMatchObject({
    max_tokens: 0,
    max_input_tokens: null,
    temperature: 1,
  });
  expect(read({})).toMatchObject({ max_tokens: 4096, max_input_tokens: null });
});

// Each as Pydantic 2 gives it.
test.each([
  ["1_0", 10],
  [true, 1],
  ["10.0", 10],
])("%o is the integer %i", (max_tokens, integer) => {
  expect(readSettings({ file: { llm: { ...LLM, max_tokens } } })["default"]).toMatchObject({
    max_tokens: integer,
  });
});

test("a folder without settings is reported with a hint", async () => {
  const root = configFolder({});

  await expect(loadConfig({ root })).rejects.toMatchObject({
    message: "No configuration file found in config directory",
    where: `${root}/config`,
    hint: "Copy config/config.example.toml to config/config.toml and put your key in.",
  });
});

test("an invalid file is reported with its place and the reason", async () => {
  const root = configFolder({ "config.toml": 'a = 1\nb = [\n"' });

  await expect(loadConfig({ root })).rejects.toMatchObject({
    where: expect.stringMatching(/^config\/config\.toml:\d+:\d+$/) as string,
    message: expect.stringMatching(/^config\/config\.toml:\d+:\d+: [A-Z][^\n]+$/) as string,
  });
});

test("settings are the same in whatever order they are given", async () => {
  const manus = aManus();

  const first = await manus.llm("a", { model: "x", max_tokens: 5 });

  expect(await manus.llm("a", { max_tokens: 5, model: "x" })).toBe(first);
  await expect(manus.llm("a", { max_tokens: 6, model: "x" })).rejects.toMatchObject({
    hint: "Say { replace: true }, or use another name.",
  });
});

test.each<readonly [messages: unknown, says: string]>([
  [true, "must be a list, not <class 'bool'>"],
  [null, "must be a list, not <class 'NoneType'>"],
  [5, "must be a list, not <class 'int'>"],
  [[[]], "<class 'list'>"],
  [[true], "<class 'bool'>"],
  [["x"], "<class 'str'>"],
  [[null], "<class 'NoneType'>"],
])("messages that are %j are refused in Python's words", (messages, says) => {
  expect(() => formatMessages(messages)).toThrow(says);
});

test.each<readonly [width: number, height: number, tokens: number]>([
  [0, 0, 765],
  [1, 1, 765],
  [512, 512, 765],
  [768, 768, 765],
  [1024, 1024, 765],
  [2048, 2048, 765],
  [2049, 2048, 765],
  [2048, 2049, 765],
  [2048, 4096, 1105],
  [4096, 1, 1_044_565],
  [1, 4096, 1_044_565],
  [2048, 768, 1445],
  [3000, 1000, 1785],
])("a picture of %d by %d in high detail takes %d tokens", (width, height, tokens) => {
  expect(highDetailTokens(width, height)).toBe(tokens);
});

test("messages are made with their roles", () => {
  expect(
    [systemMessage("s"), userMessage("u", "aGk="), assistantMessage(null)].map((one) => ({ ...one })),
  ).toMatchObject([
    { role: "system", content: "s" },
    { role: "user", content: "u", base64_image: "aGk=" },
    { role: "assistant", content: null },
  ]);
  expect(toolMessage("t", { name: "f", toolCallId: "c" })).toMatchObject({
    role: "tool",
    content: "t",
    name: "f",
    tool_call_id: "c",
  });
});

test("a budget reports the exceeded limit, and counts successes and failures", () => {
  const budget = createBudget(10, { input: 4 });

  budget.add({ input: 3, completion: 2, estimated: false });
  budget.addFailed(5);

  expect([budget.allows(3), budget.allows(4)]).toEqual([true, false]);
  expect(budget.limitMessage(3)).toBe("Token limit exceeded");
  expect(budget.limitMessage(4)).toBe(
    "Request may exceed input token limit (Current: 7, Needed: 4, Max: 10)",
  );
  expect(budget.totals).toEqual({ input: 7, completion: 2, failedInput: 5 });
  expect(budget.calls).toEqual([{ input: 3, completion: 2, estimated: false }]);
  budget.reset();
  expect([budget.totals, budget.calls]).toEqual([{ input: 0, completion: 0, failedInput: 0 }, []]);
  expect(() => createBudget(given(1.5))).toThrow("must be a whole number from 0, not 1.5");
  expect(createBudget(0).allows(0)).toBe(true);
  expect(createTokenLimitExceeded("full")).toMatchObject({
    name: "TokenLimitExceeded",
    hint: "Raise max_input_tokens, shorten the conversation, or reset the totals.",
  });
});
