import { describe, expect, test } from "vitest";
import type { Protocol, ReplyDraft } from "../../../src/core/protocol/base/protocol.ts";
import { describeVectors } from "../../../src/core/protocol/table/vectors.ts";
import { aRequest } from "../../support/traffic-fixture.ts";
import { endOf, FIXTURES, operationAt } from "../../support/wire-fixtures.ts";

/** Replies composed from a draft. `wire.test.ts` checks that they are complete and can be read back. */

const DRAFT: ReplyDraft = {
  text: "I look it up.",
  pieces: ["I look ", "it up."],
  toolCalls: [
    { id: "call_1", name: "find", arguments: '{"id":"A-1042"}' },
    { id: "call_2", name: "price", arguments: '{"of":["a","b"]}' },
  ],
  usage: { inputTokens: 12, outputTokens: 7 },
};

const CALLING: readonly (readonly [provider: string, path: string, body: object])[] = [
  ["openai", "/v1/chat/completions", { model: "m", messages: [], stream_options: { include_usage: true } }],
  ["openai", "/v1/responses", { model: "m", input: "" }],
  ["anthropic", "/v1/messages", { model: "m", messages: [] }],
  ["gemini", "/v1beta/models/m:generateContent", { contents: [] }],
  ["gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [] }],
  ["gemini", "/v1beta/models/m:streamGenerateContent", { contents: [] }],
  ["ollama", "/api/chat", { model: "m", messages: [] }],
  ["cohere", "/v2/chat", { model: "m", messages: [] }],
  ["bedrock", "/model/m/converse", { messages: [] }],
  ["bedrock", "/model/m/converse-stream", { messages: [] }],
];

describe.each(CALLING)("%s %s", (provider, path, body) => {
  const { protocol } = operationAt(provider, "POST", path);

  test.each([false, true])("has text, calls, and usage as drafted, stream: %s", (stream) => {
    const request = aRequest({ provider, path, body: { ...body, stream } });
    const read = (draft: ReplyDraft) => {
      const reply = { status: 200, ...protocol.compose(draft, request) };
      return { ...protocol.project(reply), ends: endOf(protocol, reply.body, reply.contentType) };
    };
    const said = (parts: readonly { readonly type: string }[] = []): string =>
      parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
    const calls = DRAFT.toolCalls?.map((call) => [call.name, JSON.parse(call.arguments) as unknown]);

    for (const draft of [DRAFT, { ...DRAFT, text: "", pieces: [] }]) {
      const { messages, usage, ends } = read(draft);
      const [message] = messages;
      expect(messages).toHaveLength(1);
      expect(said(message?.parts)).toBe(draft.text);
      expect(
        message?.parts.flatMap((part) =>
          part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments) as unknown]] : [],
        ),
      ).toEqual(calls);
      expect([usage, ends]).toMatchObject([{ inputTokens: 12, outputTokens: 7 }, "whole"]);
    }
    expect(protocol.composesToolCalls).toBe(true);
  });
});

test.each([
  ["with calls", DRAFT],
  ["without calls", { text: "Hello" }],
  ["without text", { text: "" }],
])("each chunk of a Gemini stream has a part: a reply %s", (_, draft) => {
  const path = "/v1beta/models/m:streamGenerateContent";
  const { protocol } = operationAt("gemini", "POST", path);
  const { body } = protocol.compose(draft, aRequest({ provider: "gemini", path, body: { contents: [] } }));

  const chunks = JSON.parse(Buffer.from(body).toString()) as {
    candidates: [{ content: { parts: object[] } }];
  }[];
  const parts = chunks.map(({ candidates }) => candidates[0].content.parts);

  expect(parts.length).toBeGreaterThan(0);
  expect(parts).not.toContainEqual([]);
});

const textOf = (protocol: Protocol, path: string, body: object, text = "Hello"): string =>
  Buffer.from(protocol.compose({ text }, aRequest({ path, body })).body).toString();

test.each([
  ["mp3", "audio/mpeg", [0xff, 0xfb]],
  ["wav", "audio/wav", [0x52, 0x49]],
  ["pcm", "audio/pcm", [0, 0]],
  ["opus", "audio/wav", [0x52, 0x49]],
])("speech is silence: %s as %s", (response_format, contentType, start) => {
  const path = "/v1/audio/speech";
  const request = aRequest({ path, body: { model: "m", input: "Hi", response_format } });

  const composed = operationAt("openai", "POST", path).protocol.compose({ text: "Hi" }, request);

  expect(composed.contentType).toBe(contentType);
  expect([...composed.body.subarray(0, 2)]).toEqual(start);
});

test.each([
  ["text", "Hello\n"],
  ["srt", "1\n00:00:00,000 --> 00:00:01,000\nHello\n"],
  ["vtt", "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n"],
])("a transcript is written as %s", (response_format, expected) => {
  const path = "/v1/audio/transcriptions";
  const { protocol } = operationAt("openai", "POST", path);

  expect(textOf(protocol, path, { model: "m", file: "a", response_format })).toBe(expected);
});

test("embeddings are unit vectors of the asked length, alike for alike texts", () => {
  const path = "/v1/embeddings";
  const { protocol } = operationAt("openai", "POST", path);
  const body = { model: "m", input: ["a", "b", "a"], dimensions: 8 };
  const reply = textOf(protocol, path, body);

  const { data } = JSON.parse(reply) as { data: { embedding: number[] }[] };
  const [a, b, again] = data.map(({ embedding }) => embedding);

  expect(a).toHaveLength(8);
  expect(Math.hypot(...a!)).toBeCloseTo(1, 5);
  expect(again).toEqual(a);
  expect(b).not.toEqual(a);
  expect(reply).toBe(textOf(protocol, path, body));
});

test.each([
  [[1536, 1536, 1536], "3 embeddings, 1536 numbers each"],
  [[1536], "1 embedding, 1536 numbers"],
  [[4, 8], "2 embeddings, 4, 8 numbers"],
  [[], "0 embeddings"],
])("vectors of %j numbers are shown as %s", (sizes, expected) => {
  expect(describeVectors(sizes)).toBe(expected);
});

test.each([
  ["amazon.titan-embed-text-v2:0", { inputText: "a" }, { inputTextTokenCount: 0 }],
  [
    "amazon.nova-2-multimodal-embeddings-v1:0",
    { taskType: "SINGLE_EMBEDDING", singleEmbeddingParams: { text: { value: "a" } } },
    { embeddings: [{ embeddingType: "TEXT", embedding: expect.any(Array) as unknown }] },
  ],
  [
    "cohere.embed-v4:0",
    { texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"] },
    { embeddings: { float: [expect.any(Array), expect.any(Array)] as unknown } },
  ],
  [
    "cohere.embed-v4:0",
    { images: ["data:image/png;base64,AAAA"], input_type: "image" },
    { embeddings: [expect.any(Array)] as unknown },
  ],
])("%s on Bedrock composes vectors in its vendor's format", (model, body, expected) => {
  const path = `/model/${model}/invoke`;
  const { protocol } = operationAt("bedrock", "POST", path);

  expect(JSON.parse(textOf(protocol, path, body, "words"))).toMatchObject(expected);
});

test("a draft that is JSON is the reply of a resource itself", () => {
  const { protocol } = operationAt("openai", "POST", "/v1/batches");

  expect(textOf(protocol, "/v1/batches", {}, '{"id":"mine"}')).toBe('{"id":"mine"}');
  expect(JSON.parse(textOf(protocol, "/v1/batches", {}, "words"))).toMatchObject({ id: "batches_tapedeck" });
});

test.each(FIXTURES.filter(({ provider }) => /^(?:cohere|mistral|dashscope)$/.test(provider.name)))(
  "$folder/$name: a draft that was cut has its finish reason",
  ({ protocol, request }) => {
    const body = Buffer.from(protocol.compose({ text: "a", finish: "length" }, request).body).toString();
    const spoken = /^(?:chat|text-generation|multimodal-generation)/.test(protocol.operation);

    expect(!spoken || /"(?:length|MAX_TOKENS)"/.test(body)).toBe(true);
  },
);
