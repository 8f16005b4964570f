import { expect, test } from "vitest";
import { maskBase64Data, message } from "../../../src/systems/metagpt/message.ts";
import { aaskCodeKey, aaskKey, strongKey } from "../../../src/systems/metagpt/keys.ts";
import { MockLLM } from "../../../src/systems/metagpt/mock-llm.ts";
import { openAiLlm } from "../../../src/systems/metagpt/openai-llm.ts";
import { memoryCache } from "../../../src/systems/metagpt/cache/response-cache.ts";

test("a strong key stays the same from one version to the next", () => {
  const args = {
    msg: ["a", message("b", { images: ["c"] })],
    n: 1.5,
    left: null,
    b: true,
    a: { z: [], y: "ü" },
  };

  expect(strongKey({ method: "aask", provider: "openai", model: "m", args })).toBe(
    "v2:sha256:3029de57dae4e15c20c713ef257162fc857355826d75aaeb55335f89e593bd79",
  );
});

test("a strong answer is found by the request, including one system message and the model's default", async () => {
  const args = { msg: "hi", systemMsgs: ["be brief"] };
  const key = strongKey({ method: "aask", provider: "openai", model: "gpt-4-turbo", args });
  const llm = new MockLLM({ cache: memoryCache([[key, "hello"]]), keys: "strong" });

  expect(await llm.aask("hi", { systemMsgs: "be brief" })).toBe("hello");
  expect(await llm.aask("hi", { systemMsgs: ["be brief"] })).toBe("hello");
});

test("no system message is an empty one, too", () => {
  expect([aaskKey("hi", ""), aaskKey("hi", []), aaskKey("hi", null)]).toEqual(["hi", "hi", "hi"]);
});

test.each<readonly [element: object, hint: string]>([
  [{}, "It has none."],
  [{ role: "user" }, 'It has "role".'],
  [{ role: "user", text: "" }, 'It has "role", "text".'],
  [{ content: "", text: "" }, 'It has "content", "text".'],
  [{ role: "user", content: "", text: "" }, 'It has "role", "content", "text".'],
])("the message %j is refused with its fields", (element, hint) => {
  expect(() => aaskCodeKey([element], { seesImages: false })).toThrow(
    expect.objectContaining({ where: "messages[0]", hint }),
  );
});

test("a message without a text is logged unchanged", () => {
  const shown = { role: "assistant", content: null };

  expect(maskBase64Data(shown)).toBe(shown);
});

test("a real client that is answered nothing answers an empty text, and has no reasons to tell", async () => {
  const completions = { create: async () => ({ choices: [{ message: { content: null } }] }) };
  const llm = openAiLlm({ completions, model: "m" });

  expect(llm.reasoning).toBe("");
  expect(await llm.aask("hi", { stream: false })).toBe("");
});
