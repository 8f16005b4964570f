import { describe, expect, it } from "vitest";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { callLabel } from "../../../src/core/view/row.ts";
import { trafficFixture } from "../../support/traffic-fixture.ts";
import { NOW } from "./views.ts";

const providers = createProviders({ bedrock: "https://bedrock.example" });

/** The document of a recorded fixture. */
function documentOf(provider: string, name: string, path: string): { text: string; label: string } {
  const { asked, reply } = trafficFixture(provider, name, { provider, path });
  const found = providers.protocolFor({ provider, method: "POST", path });
  const recording: Recording = {
    provider,
    operation: found?.protocol.operation ?? "http",
    key: `sha256:${"3f".repeat(32)}`,
    recordedAt: "2026-11-17T11:00:00.000Z",
    request: { method: "POST", path, body: Buffer.from(JSON.stringify(asked)) },
    reply,
  };
  const view = describeRecording(recording, providers);
  return { text: renderRecording(view, { now: NOW }).text, label: callLabel(view) };
}

const gemini = (operation: string): string => `/v1beta/models/gemini-2.5-flash:${operation}`;

describe("the readable document", () => {
  it.each([
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
    const { text } = documentOf(provider, name, path);

    for (const line of lines) expect(text).toContain(line);
    expect(text).not.toContain("unreadable");
  });

  it.each([
    ["gemini", "stream", gemini("streamGenerateContent"), '"Say hi"'],
    ["gemini", "batch-embed", gemini("batchEmbedContents"), "3 texts to embed"],
    ["ollama", "embed", "/api/embed", "2 texts to embed"],
    ["bedrock", "invoke-embed", "/model/amazon.titan-embed-text-v2/invoke", "1 text to embed"],
    ["cohere", "embed", "/v2/embed", "3 texts to embed"],
  ] as const)("of %s %s has a row that says what was asked", (provider, name, path, label) => {
    expect(documentOf(provider, name, path).label).toBe(label);
  });
});
