import { expect, test } from "vitest";
import { splitText } from "../../src/client/index.ts";
import { loadPeer } from "../../src/client/check-options.ts";
import { checkToolChoice } from "../../src/systems/agentscope/model-base.ts";
import { modelOf, type Provider } from "../systems/agentscope/scripted-models.ts";
import { given } from "./bad-input/cells.ts";

/** A client of each SDK that answers "own". */
const CLIENTS = {
  openai: {
    chat: {
      completions: {
        create: async () => ({ choices: [{ message: { content: "own" }, finish_reason: "stop" }] }),
      },
    },
  },
  anthropic: { messages: { create: async () => ({ content: [{ type: "text", text: "own" }] }) } },
  gemini: {
    models: { generateContent: async () => ({ candidates: [{ content: { parts: [{ text: "own" }] } }] }) },
  },
  ollama: { chat: async () => ({ message: { content: "own" }, done: true }) },
};

test.each(Object.entries(CLIENTS))(
  "AgentScope's model for %s asks a client of one's own",
  async (provider, client) => {
    const model = modelOf(provider as Provider, { stream: false, connection: { client } });

    expect(await model.call([{ role: "user", content: "hi" }])).toMatchObject({
      content: [{ type: "text", text: "own" }],
    });
  },
);

test("an unknown tool is refused with the known names, in alphabetical order", () => {
  const tools = ["b", "a", "😀", "Z"].map((name) => ({ function: { name } }));

  expect(() => checkToolChoice("x", tools)).toThrow(
    expect.objectContaining({
      message: "Invalid tool_choice 'x'. Available options: Z, a, auto, b, none, required, 😀",
      where: "tool_choice",
    }) as Error,
  );
  expect(() => checkToolChoice(5, tools)).toThrow(
    expect.objectContaining({
      message: "tool_choice must be str, got number",
      where: "tool_choice",
    }) as Error,
  );
});

test.each([
  ["Cannot find package 'some-sdk' imported from /a/b.js", "some-sdk"],
  ["Cannot find package 'some-sdk/deep/er' imported from /a/b.js", "some-sdk"],
  ["Cannot find module '@scope/some-sdk/deep'\nRequire stack: /a", "@scope/some-sdk"],
  ['Could not find "some-sdk"', "some-sdk"],
])("a package that is missing is named: %s", async (message, name) => {
  for (const code of ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])
    await expect(loadPeer(failing(message, code))).rejects.toMatchObject({
      kind: "validation",
      message: `${name}: the package is not installed`,
      hint: `Install it: npm install ${name}`,
      cause: { message },
    });
});

test.each([
  ["Cannot find package 'some-sdk'", "ERR_OTHER"],
  ["Cannot find package 'some-sdk'", undefined],
  ["Cannot find module '/a/some-sdk/broken.js'", "ERR_MODULE_NOT_FOUND"],
  ["Cannot find module '/a/some-sdk/broken.js' imported from /a/some-sdk/index.js", "ERR_MODULE_NOT_FOUND"],
  ["Cannot find module './broken.js'", "MODULE_NOT_FOUND"],
  ["odd", "ERR_MODULE_NOT_FOUND"],
])("a failure inside of a package is not taken for a missing one: %s, %s", async (message, code) => {
  await expect(loadPeer(failing(message, code))).rejects.toThrow(message);
  await expect(loadPeer(() => Promise.reject(given("odd")))).rejects.toBe("odd");
});

const failing = (message: string, code: unknown) => async (): Promise<never> => {
  throw Object.assign(new Error(message), { code });
};

test.each<readonly [pieces: Parameters<typeof splitText>[1], random: number, cut: readonly string[]]>([
  ["whole", 0, ["ab cd, efghij"]],
  ["words", 0, ["ab", " cd,", " efghij"]],
  ["random", 0, Array.from("ab cd, efghij")],
  ["random", 0.99, ["ab cd, e", "fghij"]],
  [{ characters: 5 }, 0, ["ab cd", ", efg", "hij"]],
])("a text is cut into pieces: %j", (pieces, random, cut) => {
  expect(splitText("ab cd, efghij", pieces, () => random)).toEqual(cut);
  expect(splitText("", pieces, () => random)).toEqual([""]);
  expect(() => splitText("a", { characters: 0 }, () => 0)).toThrow(
    "a whole number from 1 on is expected, got 0",
  );
});
