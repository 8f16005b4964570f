import { describe, expect, it } from "vitest";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import { openaiEmbeddings } from "../../../../src/core/protocol/table/vectors.ts";
import { vectorWords } from "../../../../src/core/protocol/table/vectors.ts";
import { textOf } from "../../../../src/core/base/wire/text.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { openaiCall } from "../../../support/openai-client.ts";
import { casesOf, text } from "../../../support/protocol-case.ts";
import { replyingFetch } from "../../../support/sdk-reading.ts";
import { aRequest } from "../../../support/traffic-fixture.ts";

const path = "/v1/embeddings";
const model = "text-embedding-3-small";
const aCase = casesOf("openai-embeddings", { provider: "openai", path });
const sdk = openaiCall((client) => client.embeddings.create({ model, input: ["Hello", "you"] }));

operationContract("OpenAI embeddings", {
  protocol: openaiEmbeddings,
  dialect: openaiDialect,
  path,
  sdk,
  faults: [
    ["the body is empty", ""],
    ['"input" is missing', { model }],
    ['"model" is missing', { input: "Hello" }],
    ['"model" is not a text', { model: 5, input: "Hello" }],
  ],
  cases: [
    aCase("texts", {
      messages: [{ role: "reply", parts: [text("3 embeddings, 4 numbers each")] }],
      usage: { inputTokens: 7 },
      model,
    }),
    aCase("base64", {
      messages: [{ role: "reply", parts: [text("1 embedding, 4 numbers")] }],
      usage: { inputTokens: 1 },
      model,
    }),
  ],
});

describe("texts to embed", () => {
  it.each([
    ["Hello", "1 text to embed", ["Hello"]],
    [["a", "b", "c"], "3 texts to embed", ["a", "b", "c"]],
    [[15, 16], "1 text to embed", ["2 tokens"]],
    [[[15], [16, 17]], "2 texts to embed", ["1 token", "2 tokens"]],
    [[], "0 texts to embed", []],
  ])("%j: %s", (input, label, shown) => {
    const request = aRequest({ path, body: { model, input } });

    expect(openaiEmbeddings.facts(request)).toEqual({ model, streaming: false, label });
    expect(openaiEmbeddings.conversation(request).messages).toEqual([
      { role: "to embed", parts: shown.map(text) },
    ]);
  });

  it("are embedded from a draft as unit vectors of the asked length, alike for alike texts", async () => {
    const request = aRequest({
      path,
      body: { model, input: ["a", "b", "a"], dimensions: 8, encoding_format: "base64" },
    });

    const composed = openaiEmbeddings.compose({ text: "" }, request);
    const { fetch } = replyingFetch({
      status: 200,
      headers: [["content-type", composed.contentType]],
      body: composed.body,
    });
    const { data } = (await sdk.call(fetch)) as { data: { embedding: number[] }[] };

    const [a, b, again] = data.map(({ embedding }) => embedding);
    expect(a).toHaveLength(8);
    expect(Math.hypot(...a!)).toBeCloseTo(1, 5);
    expect(again).toEqual(a);
    expect(b).not.toEqual(a);
    expect(textOf(composed.body)).toBe(textOf(openaiEmbeddings.compose({ text: "" }, request).body));
  });

  it.each([
    [[1536, 1536, 1536], "3 embeddings, 1536 numbers each"],
    [[1536], "1 embedding, 1536 numbers"],
    [[4, 8], "2 embeddings, 4, 8 numbers"],
    [[], "0 embeddings"],
  ])("of %j numbers are shown as %s", (sizes, expected) => {
    expect(vectorWords(sizes)).toBe(expected);
  });
});
