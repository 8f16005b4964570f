import {
  createCutterFor,
  cutBody,
  chooseFraming,
  writePieceText,
  type Framing,
} from "../../src/core/base/wire/framing.ts";
import type { Protocol, Provider } from "../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { trafficFixture, type TrafficFixture } from "./traffic-fixture.ts";

type Row = readonly [folder: string, path: string, names: string, provider?: string];

/** The fixtures of `test/fixtures/traffic` by request path. The provider is the folder's name unless it is given. */
const ROWS: readonly Row[] = [
  [
    "openai-chat",
    "/v1/chat/completions",
    "chat stream tools tool-results thinking choices crlf refusal error-in-stream cut",
    "openai",
  ],
  [
    "openai-responses",
    "/v1/responses",
    "response stream crlf nameless tools incomplete failed error-in-stream cut",
    "openai",
  ],
  ["openai-completions", "/v1/completions", "completion stream cut error-in-stream", "openai"],
  ["openai-embeddings", "/v1/embeddings", "texts base64", "openai"],
  ["openai-moderations", "/v1/moderations", "texts", "openai"],
  ["openai-images", "/v1/images/generations", "generation url stream two cut error-in-stream", "openai"],
  ["openai-images", "/v1/images/edits", "edit", "openai"],
  ["openai-audio", "/v1/audio/speech", "speech speech-events speech-cut", "openai"],
  [
    "openai-audio",
    "/v1/audio/transcriptions",
    "transcription subtitles speakers heard-stream heard-cut heard-failed",
    "openai",
  ],
  ["openai-resources", "/v1/models", "models", "openai"],
  ["openai-resources", "/v1/files", "upload", "openai"],
  ["openai-resources", "/v1/files/file-abc", "file", "openai"],
  ["openai-resources", "/v1/files/file-abc/content", "content", "openai"],
  ["openai-resources", "/v1/batches", "batch", "openai"],
  ["openai-resources", "/v1/batches/batch_1", "batch-state", "openai"],
  ["openai-resources", "/v1/conversations", "conversation", "openai"],
  ["openai-resources", "/v1/conversations/conv_1/items", "items", "openai"],
  ["openai-resources", "/v1/responses/resp_1/input_items", "items", "openai"],
  [
    "anthropic-messages",
    "/v1/messages?beta=true",
    "message stream crlf tools tool-results thinking error-in-stream cut",
    "anthropic",
  ],
  ["anthropic-batches", "/v1/messages/count_tokens?beta=true", "count", "anthropic"],
  ["anthropic-batches", "/v1/messages/batches", "batch", "anthropic"],
  ["anthropic-batches", "/v1/messages/batches/msgbatch_1/results", "results", "anthropic"],
  ["gemini", "/v1beta/models/gemini-2.5-flash:generateContent", "generate thinking tools blocked"],
  [
    "gemini",
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "stream stream-thinking stream-tools stream-error stream-cut",
  ],
  ["gemini", "/v1beta/models/gemini-2.5-flash:streamGenerateContent", "array array-cut array-error"],
  ["gemini", "/v1beta/models/gemini-2.5-flash:embedContent", "embed"],
  ["gemini", "/v1beta/models/gemini-2.5-flash:batchEmbedContents", "batch-embed"],
  ["gemini", "/v1beta/models/gemini-2.5-flash:countTokens", "count"],
  ["gemini-interactions", "/v1beta/interactions", "search turns stream stream-cut", "gemini"],
  ["ollama", "/api/chat", "chat stream thinking tools error-in-stream cut"],
  ["ollama", "/api/generate", "generate generate-stream"],
  ["ollama", "/api/embed", "embed"],
  ["ollama", "/api/embeddings", "embeddings"],
  ["bedrock", "/model/us.amazon.nova-micro-v1%3A0/converse", "converse"],
  [
    "bedrock",
    "/model/us.amazon.nova-micro-v1%3A0/converse-stream",
    "stream stream-tools stream-exception stream-broken stream-cut",
  ],
  ["bedrock", "/model/us.amazon.nova-micro-v1%3A0/invoke", "invoke invoke-llama invoke-embed"],
  [
    "bedrock",
    "/model/us.amazon.nova-micro-v1%3A0/invoke-with-response-stream",
    "invoke-stream invoke-titan invoke-titan-guardrail invoke-stream-cut",
  ],
  ["bedrock", "/model/us.amazon.nova-micro-v1%3A0/count-tokens", "count"],
  ["cohere", "/v2/chat", "chat stream stream-tools error-in-stream cut"],
  ["cohere", "/v1/chat", "chat-v1 stream-v1 limit-v1 cut-v1"],
  ["cohere", "/v2/embed", "embed"],
  ["cohere", "/v2/rerank", "rerank"],
  ["cohere", "/v1/tokenize", "tokenize"],
  ["cohere", "/v1/detokenize", "detokenize"],
  [
    "dashscope",
    "/api/v1/services/aigc/text-generation/generation",
    "generation prompt stream stream-incremental stream-tools stream-error stream-cut",
  ],
  ["dashscope", "/api/v1/services/aigc/multimodal-generation/generation", "multimodal"],
  ["mistral", "/v1/chat/completions", "stream"],
  ["mistral", "/v1/fim/completions", "fim"],
  ["mistral", "/v1/agents/completions", "agent"],
  ["mistral", "/v1/conversations", "conversation-stream"],
  ["mistral", "/v1/conversations/conv_1", "conversation"],
  ["mistral", "/v1/conversations/conv_1/restart", "conversation-failed"],
  ["mistral", "/v1/ocr", "ocr"],
  ["mistral", "/v1/classifications", "classification"],
  ["mistral", "/v1/moderations", "moderation"],
  ["openrouter", "/api/v1/chat/completions", "stream own-key gave-up"],
  ["deepseek", "/chat/completions", "stream"],
  ["deepseek", "/beta/chat/completions", "gave-up"],
  ["groq", "/openai/v1/chat/completions", "stream failed"],
  ["xai", "/v1/chat/completions", "stream deferred"],
  ["xai", "/v1/chat/deferred-completion/f15c114e", "fetched"],
  ["together", "/v1/chat/completions", "stream"],
  ["together", "/v1/rerank", "rerank"],
  ["huggingface", "/v1/chat/completions", "failed"],
];

/** A fixture and the operation that it belongs to. */
export interface WireFixture extends TrafficFixture {
  readonly folder: string;
  readonly path: string;
  readonly provider: Provider;
  readonly protocol: Protocol;
}

const providers = createProviders();

export function operationAt(name: string, method: string, path: string, streams = false) {
  const headers = streams ? ([["x-dashscope-sse", "enable"]] as const) : [];
  const found = providers.protocolFor({ provider: name, method, path, headers });
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
}

export const FIXTURES: readonly WireFixture[] = ROWS.flatMap(([folder, path, names, provider = folder]) =>
  names.split(" ").map((name) => {
    const fixture = trafficFixture(folder, name, { provider, path });
    const streams = chooseFraming(fixture.reply.contentType) !== undefined;
    return { ...fixture, folder, path, ...operationAt(provider, fixture.request.method, path, streams) };
  }),
);

export const framingIn = ({ stream }: Protocol, contentType: string): Framing | undefined =>
  stream && (chooseFraming(contentType) ?? stream.inJson);

/** How a reply ended, as the recorder sees it. */
export function endOf(
  protocol: Protocol,
  body: Uint8Array,
  contentType = "text/event-stream",
): "whole" | "cut" | "failed" {
  const { stream } = protocol;
  const framing = framingIn(protocol, contentType);
  if (stream === undefined || framing === undefined) return protocol.isWhole(body) ? "whole" : "failed";
  const frames = framesOf(body, framing);
  if (frames.some((frame) => stream.isError(frame))) return "failed";
  const hasEnd = frames.some((frame) => stream.isTerminal(frame)) || stream.isFinished?.(body) === true;
  return hasEnd ? "whole" : "cut";
}

export const framesOf = (body: Uint8Array, framing: Framing): readonly string[] =>
  cutBody(body, framing).map((piece) => writePieceText(piece, framing));

/** Returns the frames of a body that arrives byte by byte. */
export function framesByByte(body: Uint8Array, framing: Framing): readonly Uint8Array[] {
  const cutter = createCutterFor(framing);
  return [...[...body].flatMap((byte) => cutter.push(new Uint8Array([byte]))), cutter.rest()];
}
