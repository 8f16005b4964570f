import { expect, test } from "vitest";
import { createAnthropic } from "../../../src/client/adapters/anthropic/index.ts";
import { createAzureChat, createAzureResponses } from "../../../src/client/adapters/azure-openai/index.ts";
import { createDashscopeCompatible } from "../../../src/client/adapters/dashscope-compatible/index.ts";
import { createDashscope } from "../../../src/client/adapters/dashscope/index.ts";
import { createGemini } from "../../../src/client/adapters/gemini/index.ts";
import { createOllama } from "../../../src/client/adapters/ollama/index.ts";
import {
  createCompatibleChat,
  createOpenaiChat,
  createOpenaiResponses,
} from "../../../src/client/adapters/openai/index.ts";
import { failureOf, given } from "../bad-input/cells.ts";

const ADAPTERS = {
  createAnthropic,
  createAzureChat,
  createAzureResponses,
  createCompatibleChat,
  createDashscope,
  createDashscopeCompatible,
  createGemini,
  createOllama,
  createOpenaiChat,
  createOpenaiResponses,
};

const WRONG: readonly (readonly [options: unknown, where: string, says: string])[] = [
  [undefined, "options", "an object of options is expected, got undefined"],
  ["gpt-4o", "options", "an object of options is expected, got string"],
  [{}, "options.model", "a model's name is expected, got undefined"],
  [{ model: "" }, "options.model", 'a model\'s name is expected, got ""'],
  [{ model: "m", temperature: 1 }, "options.temperature", "there is no such option"],
  [
    { model: "m", baseURL: "api" },
    "options.baseURL",
    'an address, e.g. https://api.example.com/v1 is expected, got "api"',
  ],
  [{ model: "m", fetch: {} }, "options.fetch", "a function like fetch is expected, got object"],
  [{ model: "m", apiKey: 5 }, "options.apiKey", "a text is expected, got number"],
  [{ model: "m", headers: "x: y" }, "options.headers", 'an object of texts is expected, got "x: y"'],
];

test.each(Object.entries(ADAPTERS))(
  "%s refuses options that are none, at once and by name",
  async (_, create) => {
    const told = await Promise.all(WRONG.map(([options]) => failureOf(() => create(given(options)))));

    expect(told).toEqual(
      WRONG.map(([, where, says]) => ({ kind: "validation", where, message: `${where}: ${says}` })),
    );
  },
);

test("a provider of one's own needs its name and its address", async () => {
  const create = (options: object) => failureOf(() => createCompatibleChat(given(options)));

  expect(await create({ model: "m", baseURL: "https://a.test/v1" })).toMatchObject({
    message: "options.provider: a provider's name is expected, got undefined",
  });
  expect(await create({ model: "m", provider: "p" })).toMatchObject({
    message: "options.baseURL: an address, e.g. https://api.example.com/v1 is expected, got undefined",
  });
  expect(
    await create({ model: "m", provider: "p", baseURL: "https://a.test/v1", clientOptions: 5 }),
  ).toMatchObject({
    message: "options.clientOptions: an object is expected, got number",
  });
});

test("a client of one's own is used as it is, and what cannot be one is refused", async () => {
  const create = async (): Promise<object> => ({
    choices: [{ message: { content: "own" }, finish_reason: "stop" }],
  });
  const client = given({ chat: { completions: { create } } });
  const request = { messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }] };

  const reply = await createOpenaiChat({ model: "m", client }).complete(request);
  const refused = await failureOf(() => createOpenaiChat({ model: "m", client: given(5) }));

  expect(reply.message.parts).toEqual([{ type: "text", text: "own" }]);
  expect(refused).toMatchObject({ message: "options.client: a client of the SDK is expected, got number" });
});
