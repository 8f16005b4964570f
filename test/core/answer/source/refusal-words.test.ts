import { describe, expect, it } from "vitest";
import { spellCredentials } from "../../../../src/core/secrets/guard.ts";
import { describeRefusal } from "../../../../src/core/answer/source/judge.ts";

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe("the words of a provider that refuses a call", () => {
  it.each([
    ["OpenAI's", { error: { message: "Incorrect API key provided." } }, "Incorrect API key provided"],
    ["Anthropic's", { type: "error", error: { message: "invalid x-api-key" } }, "invalid x-api-key"],
    ["Google's in a list", [{ error: { message: "API key not valid." } }], "API key not valid"],
    ["Cohere's", { message: "no api key supplied" }, "no api key supplied"],
    ["one in two lines", { detail: "one\ntwo" }, "one two"],
    ["none", { error: { code: 3 } }, ""],
  ])("are %s", (_, body, words) => {
    expect(describeRefusal(bytes(body), [])).toBe(words);
  });

  it("never repeat the key of the call", () => {
    const credentials = spellCredentials({
      provider: { name: "openai" } as never,
      headers: [["authorization", "Bearer sk-wrong-key-123456"]],
      path: "/v1/chat/completions",
      body: new Uint8Array(),
    });
    const body = bytes({ error: { message: "Incorrect API key provided: sk-wrong-key-123456." } });

    expect(describeRefusal(body, credentials)).toBe("Incorrect API key provided: [key]");
  });

  it("are no longer than a person reads at a glance", () => {
    expect(describeRefusal(bytes({ message: "a".repeat(900) }), [])).toHaveLength(201);
  });
});
