import { expect, it } from "vitest";
import {
  bedrockConverse,
  bedrockConverseStream,
} from "../../../src/core/protocol/bedrock/converse-protocol.ts";
import { anthropicMessages } from "../../../src/core/protocol/anthropic/protocol.ts";
import { cohereChat } from "../../../src/core/protocol/cohere/chat-protocol.ts";
import { geminiGenerate, geminiStreamGenerate } from "../../../src/core/protocol/gemini/protocol.ts";
import { ollamaChat } from "../../../src/core/protocol/ollama/chat.ts";
import { openaiChat } from "../../../src/core/protocol/openai/chat/protocol.ts";
import { openaiResponses } from "../../../src/core/protocol/openai/responses/protocol.ts";
import type { Protocol, ReplyDraft } from "../../../src/core/protocol/base/protocol.ts";
import { cutBody, pieceText } from "../../../src/core/base/wire/framing.ts";
import { framingFor } from "../../../src/core/match/read-request.ts";
import { aRequest } from "../../support/traffic-fixture.ts";

const DRAFT: ReplyDraft = {
  text: "I look it up.",
  pieces: ["I look ", "it up."],
  toolCalls: [
    { id: "call_1", name: "find", arguments: '{"id":"A-1042"}' },
    { id: "call_2", name: "price", arguments: '{"of":["a","b"]}' },
  ],
  usage: { inputTokens: 12, outputTokens: 7 },
};

const chat = (stream: boolean): object => ({
  model: "m",
  messages: [],
  stream,
  stream_options: { include_usage: true },
});
const gemini = "/v1beta/models/m:";

/** Each operation that may call tools, asked for a whole reply and for a stream. */
const operations: readonly (readonly [name: string, protocol: Protocol, path: string, body: object])[] = [
  ["chat completions", openaiChat, "/v1/chat/completions", chat(false)],
  ["chat completions, streamed", openaiChat, "/v1/chat/completions", chat(true)],
  ["responses", openaiResponses, "/v1/responses", { model: "m", input: "" }],
  ["responses, streamed", openaiResponses, "/v1/responses", { model: "m", input: "", stream: true }],
  ["messages", anthropicMessages, "/v1/messages", chat(false)],
  ["messages, streamed", anthropicMessages, "/v1/messages", chat(true)],
  ["Gemini", geminiGenerate, `${gemini}generateContent`, { contents: [] }],
  ["Gemini, streamed", geminiStreamGenerate, `${gemini}streamGenerateContent?alt=sse`, { contents: [] }],
  ["Gemini, as a list", geminiStreamGenerate, `${gemini}streamGenerateContent`, { contents: [] }],
  ["Ollama", ollamaChat, "/api/chat", chat(false)],
  ["Ollama, streamed", ollamaChat, "/api/chat", chat(true)],
  ["Cohere", cohereChat, "/v2/chat", chat(false)],
  ["Cohere, streamed", cohereChat, "/v2/chat", chat(true)],
  ["Bedrock", bedrockConverse, "/model/m/converse", { messages: [] }],
  ["Bedrock, streamed", bedrockConverseStream, "/model/m/converse-stream", { messages: [] }],
];

it.each(operations)(
  "%s: text, calls and what was spent are read back as drafted",
  (_, protocol, path, body) => {
    const request = aRequest({ path, body: JSON.stringify(body) });

    const reply = { status: 200, ...protocol.compose(DRAFT, request) };
    const { messages, usage } = protocol.project(reply);

    const [message] = messages;
    expect(messages).toHaveLength(1);
    expect(message?.parts.map((part) => ("text" in part ? part.text : "")).join("")).toBe(DRAFT.text);
    expect(
      message?.parts.flatMap((part) =>
        part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments) as unknown]] : [],
      ),
    ).toEqual(DRAFT.toolCalls?.map((call) => [call.name, JSON.parse(call.arguments) as unknown]));
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 7 });
  },
);

it.each(operations)(
  "%s: a reply that only calls is whole, and a stream of it ends",
  (_, protocol, path, body) => {
    const request = aRequest({ path, body: JSON.stringify(body) });
    const { contentType, body: bytes } = protocol.compose({ ...DRAFT, text: "" }, request);
    const facts = protocol.facts(request);
    const framing = framingFor({ protocol, facts }, contentType);

    expect(protocol.composesToolCalls).toBe(true);
    const parts = protocol.project({ status: 200, contentType, body: bytes }).messages[0]?.parts ?? [];
    expect(parts.filter(({ type }) => type === "tool-call")).toHaveLength(2);
    const pieces = framing && cutBody(bytes, framing).map((piece) => pieceText(piece, framing));
    const ends = pieces?.some((piece) => protocol.stream?.isTerminal(piece)) ?? protocol.isWhole(bytes);
    expect(ends).toBe(true);
  },
);
