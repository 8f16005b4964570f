import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { openaiCompletions } from "../../../../src/core/protocol/openai/completions.ts";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import { protocolContract } from "../../../contract/protocol-contract.ts";
import { openaiSdk } from "../../../support/openai-sdk.ts";
import { casesOf, fails, says, text } from "../../../support/protocol-case.ts";
import type { Sdk } from "../../../support/sdk-reading.ts";
import { aRequest } from "../../../support/traffic-fixture.ts";

const path = "/v1/completions";
const model = "gpt-3.5-turbo-instruct";
const aCase = casesOf("openai-completions", { provider: "openai", path });

/** The official package, which leaves putting the chunks together to its user. */
const sdk: Sdk = {
  codeOf: (error) => openaiSdk.codeOf?.(error),
  statusOf: (error) => openaiSdk.statusOf(error),
  async read(fetch, asked) {
    const { completions } = new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch });
    const reply = await completions.create(asked as OpenAI.CompletionCreateParams);
    const chunks: OpenAI.Completion[] = [];
    if ("choices" in reply) chunks.push(reply);
    else for await (const chunk of reply) chunks.push(chunk);
    const said = chunks.flatMap(({ choices }) => choices.map((choice) => choice.text)).join("");
    const counted = chunks.at(-1)?.usage;
    return {
      messages: [{ text: said, thinking: "", calls: [] }],
      model: chunks[0]?.model,
      finishReason: chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []).at(-1),
      inputTokens: counted?.prompt_tokens,
      outputTokens: counted?.completion_tokens,
    };
  },
};

protocolContract("OpenAI completions", {
  protocol: openaiCompletions,
  dialect: openaiDialect,
  sdk,
  path,
  body: { model, prompt: "Once upon" },
  faults: [
    ["the body is empty", ""],
    ["not an object", "[]"],
    ['"model" is missing', { prompt: "Hi" }],
    ['"model" is null', { model: null, prompt: "Hi" }],
  ],
  cases: [
    aCase("completion", {
      messages: says(text(" a time")),
      usage: { inputTokens: 2, outputTokens: 2 },
      finishReason: "length",
      model,
    }),
    aCase("stream", { messages: says(text(" a 👋")), finishReason: "stop", model, events: 4 }),
    aCase("cut", { messages: says(text(" a")), model, events: 1 }, "cut"),
    aCase(
      "error-in-stream",
      {
        messages: [...says(text(" a")), fails("server_error: The server had an error.")],
        model,
        events: 2,
      },
      "failed",
    ),
  ],
});

describe("a prompt", () => {
  it.each([
    ["Once\nupon", "Once", ["Once\nupon"]],
    [["One", "Two"], "Two", ["One", "Two"]],
    [[1, 2, 3], "completion of 3 prompts", ["3 tokens"]],
    [[[1], [2, 3]], "completion of 2 prompts", ["1 token", "2 tokens"]],
    [undefined, "completion of 0 prompts", []],
  ])("%j is shown as what it is", (prompt, label, shown) => {
    const request = aRequest({ path, body: { model, prompt } });

    const { messages } = openaiCompletions.conversation(request);

    expect(openaiCompletions.facts(request).label).toBe(label);
    expect(messages.flatMap(({ parts }) => parts)).toEqual(shown.map(text));
  });

  it.each([
    ["/v1/completions", true],
    ["/beta/completions", true],
    ["/openai/deployments/m/completions", true],
    ["/v1/chat/completions", false],
    ["/v1/fim/completions", false],
    ["/v1/agents/completions", false],
  ])("POST %s is for completions: %s", (pathname, expected) => {
    expect(openaiCompletions.accepts("POST", pathname)).toBe(expected);
  });
});
