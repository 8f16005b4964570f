import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { given, pageOf, shown } from "../../client/bad-input/cells.ts";
import { openManus } from "../../../src/systems/openmanus/open-manus.ts";
import { createTokenCounter, highDetailTokens } from "../../../src/systems/openmanus/token-counter.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aManus, configFolder, FILE } from "./singleton.ts";

const LLM = { model: "m", base_url: "u", api_key: "k" };
/** Fields of a model's settings. Integers are read as Pydantic 2 reads them. */
const FIELDS: readonly object[] = [
  ...[1.5, -1, 0, [], " 16 ", "1.5", "many", " ", "1__0", "_10", "0x10", "1e3", "1_0", true, "10.0"].map(
    (max_tokens) => ({ max_tokens }),
  ),
  { max_input_tokens: -1 },
  { max_input_tokens: 5n },
  { max_input_tokens: null },
  { temperature: "warm" },
  { temperature: [] },
  { temperature: -0.5 },
  {},
];

const MESSAGES: readonly unknown[] = [true, null, 5, [[]], [true], ["x"], [null]];

const SIDES: readonly (readonly [width: number, height: number])[] = [
  ...[0, 1, 512, 768, 1024, 2048].map((side) => [side, side] as const),
  [2049, 2048],
  [2048, 2049],
  [2048, 4096],
  [4096, 1],
  [1, 4096],
  [2048, 768],
  [3000, 1000],
];

test("settings, messages, and sizes of pictures are read, or refused, as the page beside this test has it", async () => {
  const page = await pageOf([
    ...FIELDS.map((fields) => {
      const read = () => readSettings({ file: { llm: { ...LLM, ...fields } } })["default"];
      return [shown(fields), read] as const;
    }),
    ...MESSAGES.map((messages) => [`messages ${shown(messages)}`, () => formatMessages(messages)] as const),
    ...SIDES.map((sides) => [`a picture of ${shown(sides)}`, () => highDetailTokens(...sides)] as const),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("settings.txt");
});

test("a folder without settings is reported with a hint, and is looked at again", async () => {
  const root = configFolder({});
  const manus = openManus({ root });

  await expect(manus.config()).rejects.toMatchObject({
    message: "No configuration file found in config directory",
    where: `${root}/config`,
    hint: "Copy config/config.example.toml to config/config.toml and put your key in.",
  });
  writeFileSync(join(root, "config/config.toml"), FILE);

  expect((await manus.config()).llm["default"]?.model).toBe("gpt-4o");
});

test("an invalid file, an unreadable one, and a file in the folder's place are reported with place and reason", async () => {
  const at = String.raw`^config/config\.toml:\d+:\d+`;
  const [root, blocked] = [configFolder({}), aFolder()];
  mkdirSync(join(root, "config/config.toml"));
  writeFileSync(join(blocked, "config"), "");

  await expect(
    loadConfig({ root: configFolder({ "config.toml": 'a = 1\nb = [\n"' }) }),
  ).rejects.toMatchObject({
    where: expect.stringMatching(`${at}$`) as string,
    message: expect.stringMatching(`${at}: [A-Z][^\n]+$`) as string,
  });
  await expect(loadConfig({ root })).rejects.toMatchObject({
    message: "config/config.toml cannot be read: EISDIR",
    where: join(root, "config"),
  });
  await expect(loadConfig({ root: blocked })).rejects.toThrow("No configuration file found");
});

test("all missing settings are reported at once, as configuration faults", () => {
  expect(() => readSettings({ file: { llm: { max_input_tokens: "x", max_tokens: -1 } } })).toThrow(
    expect.objectContaining({
      where: "config",
      message: [
        "llm.default.model: Input should be a valid string",
        "llm.default.base_url: Input should be a valid string",
        "llm.default.api_key: Input should be a valid string",
        "llm.default.max_tokens: Input should be a valid integer, got a negative number",
        "llm.default.max_input_tokens: Input should be a valid integer, unable to parse string as an integer",
      ].join("; "),
    }),
  );
});

test.each([[{ width: 5 }], [{ height: 5 }], [[5]], [[5, -1]], [["5", 5]], [[5, Number.POSITIVE_INFINITY]]])(
  "a picture with the sides %j is refused",
  (dimensions) => {
    const counter = createTokenCounter((text) => text.length);

    expect(() => counter.countImage({ detail: "high", dimensions })).toThrow(
      expect.objectContaining({ where: "dimensions" }),
    );
  },
);

test("settings are the same in whatever order they are given", async () => {
  const manus = aManus();

  const first = await manus.llm("a", { model: "x", max_tokens: 5 });

  expect(await manus.llm("a", { max_tokens: 5, model: "x" })).toBe(first);
  await expect(manus.llm("a", { max_tokens: 6, model: "x" })).rejects.toMatchObject({
    hint: "Say { replace: true }, or use another name.",
  });
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
