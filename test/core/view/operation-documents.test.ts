import { describe, expect, test } from "vitest";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { labelCall } from "../../../src/core/view/row.ts";
import { encodeUtf8 } from "../../../src/core/base/wire/text.ts";
import { aRecording } from "../../support/a-recording.ts";
import { trafficFixture } from "../../support/traffic-fixture.ts";

const providers = createProviders({ bedrock: "https://bedrock.example" });

/** The row's label and the document of a fixture's recording, without its header. */
function shown(folder: string, name: string, path: string, provider = "openai") {
  const { request, reply } = trafficFixture(folder, name, { provider, path });
  const { method, body } = request;
  const operation = providers.protocolFor({ provider, method, path })?.protocol.operation ?? "http";
  const sent =
    body.kind === "bytes"
      ? { body: body.bytes, ...(body.contentType !== undefined && { contentType: body.contentType }) }
      : { body: encodeUtf8(JSON.stringify(trafficFixture(folder, name, { provider, path }).asked)) };
  const empty = body.kind === "empty" ? { body: new Uint8Array(0) } : sent;
  const recording = aRecording({ provider, operation, request: { method, path, ...empty }, reply });
  const view = describeRecording(recording, providers);
  const { text, sections } = renderRecording(view, { now: Date.parse(recording.recordedAt) });
  const lines = text.split("\n").slice(sections[0]?.line ?? 0);
  return {
    label: labelCall(view),
    document: text,
    text: lines.join("\n").trimEnd().replace(/─{3,}/g, "───"),
    sections,
  };
}

test("texts to embed are listed, and their embeddings counted", () => {
  expect(shown("openai-embeddings", "texts", "/v1/embeddings")).toMatchObject({
    label: "3 texts to embed",
    text: `── to embed ───
Hello
Grüß dich
👋
── reply ─── 7 in
3 embeddings, 4 numbers each
── parameters ───
dimensions 4`,
  });
});

test("a picture is shown by its size, and can be opened", () => {
  expect(shown("openai-images", "generation", "/v1/images/generations")).toMatchObject({
    label: '"A red cassette"',
    text: `── user ───
A red cassette
── assistant ─── 9 in, 272 out
[image: 207 bytes, png]
── parameters ───
size 1024x1024`,
  });
});

test("streamed pictures are choices", () => {
  const { sections, text } = shown("openai-images", "two", "/v1/images/generations");

  expect(sections.map(({ title }) => title)).toEqual([
    "user",
    "assistant, choice 1 of 2",
    "assistant, choice 2 of 2",
    "parameters",
  ]);
  expect(text).toContain("stream, 4 events · 9 in, 272 out");
});

test("a failure beside an answer is no choice", () => {
  const { sections } = shown("openai-responses", "failed", "/v1/responses");

  expect(sections.map(({ title }) => title)).toEqual(["user", "assistant", "error"]);
});

test("transcribed audio is named by its file, and its transcript is shown as text", () => {
  expect(shown("openai-audio", "transcription", "/v1/audio/transcriptions")).toMatchObject({
    label: "hello.wav, 24 bytes to transcribe",
    text: `── to transcribe ───
[audio: hello.wav, audio/wav, 24 bytes]
── assistant ─── 14 in, 3 out
Hello there.`,
  });
});

test("a response's thoughts are folded and its usage is shown", () => {
  const { text, sections } = shown("openai-responses", "response", "/v1/responses");

  expect(text).toBe(`── system ───
Be terse.
── user ───
Say hi.
── assistant, thinking ───
A greeting.
── assistant ─── completed · 21 in (16 cached), 9 out (4 thinking)
Hi!`);
  expect(sections.find(({ title }) => title === "assistant, thinking")?.folded).toBe(true);
});

test("the results of a batch are under the names of their requests", () => {
  const path = "/v1/messages/batches/msgbatch_1/results";
  const { label, sections } = shown("anthropic-batches", "results", path, "anthropic");

  expect(label).toBe("results of batch msgbatch_1");
  expect(sections.map(({ title }) => title)).toEqual(["a", "b", "c"]);
});

test("what is kept at the provider is named and listed", () => {
  expect(shown("openai-resources", "models", "/v1/models")).toMatchObject({
    label: "list of models",
    text: `── reply ───
2 entries
gpt-5 · created 1 · owned_by openai
gpt-5-mini · created 2 · owned_by openai`,
  });
});

const gemini = (operation: string): string => `/v1beta/models/gemini-2.5-flash:${operation}`;

describe("the readable document", () => {
  test.each([
    [
      "gemini",
      "stream-thinking",
      gemini("streamGenerateContent"),
      ["assistant, thinking", "Two and two.", "stream, 4 events · STOP · 8 in, 6 out (5 thinking)"],
    ],
    [
      "gemini",
      "tools",
      gemini("generateContent"),
      ['get_weather({"city":"Oslo"})', "tools get_weather(city), googleSearch"],
    ],
    ["gemini", "batch-embed", gemini("batchEmbedContents"), ["3 embeddings, 2 numbers each"]],
    ["gemini", "count", gemini("countTokens"), ["12 tokens"]],
    ["ollama", "thinking", "/api/chat", ["assistant, thinking", "stream, 4 events · stop · 26 in, 4 out"]],
    ["ollama", "generate", "/api/generate", ["Be terse.", "Scattering."]],
    [
      "bedrock",
      "converse",
      "/model/m/converse",
      [
        "assistant, thinking",
        "Which city?",
        'get_weather({"city":"Oslo"})',
        "tool_use · 37 in (16 cached), 9 out",
      ],
    ],
    [
      "bedrock",
      "invoke-stream",
      "/model/m/invoke-with-response-stream",
      ["Grüß dich", "stream, 7 events · end_turn · 10 in, 4 out"],
    ],
    [
      "cohere",
      "stream-tools",
      "/v2/chat",
      ["assistant, thinking", "I will look.", 'get_weather({"city":"Oslo"})'],
    ],
    [
      "dashscope",
      "generation",
      "/api/v1/services/aigc/text-generation/generation",
      ["You are terse.", "Hi!", "stop · 21 in (16 cached), 2 out", "result_format message"],
    ],
  ] as const)("of %s %s shows what was asked and answered", (provider, name, path, lines) => {
    const { document } = shown(provider, name, path, provider);

    for (const line of lines) expect(document).toContain(line);
    expect(document).not.toContain("unreadable");
  });

  test.each([
    ["gemini", "stream", gemini("streamGenerateContent"), '"Say hi"'],
    ["gemini", "batch-embed", gemini("batchEmbedContents"), "3 texts to embed"],
    ["ollama", "embed", "/api/embed", "2 texts to embed"],
    ["bedrock", "invoke-embed", "/model/amazon.titan-embed-text-v2/invoke", '"a"'],
    ["cohere", "embed", "/v2/embed", "3 texts to embed"],
  ] as const)("of %s %s has a row with the request", (provider, name, path, label) => {
    expect(shown(provider, name, path, provider).label).toBe(label);
  });
});
