import { expectNameIn } from "../../client/check-options.ts";
import { isSameJson } from "../../client/json/schema-check.ts";
import { type Fields, readFields, isFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { readEvents } from "../../core/base/wire/sse.ts";
import { decodeText } from "../../core/base/wire/text.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import { anthropicReader } from "./anthropic-model.ts";
import { dashscopeReader } from "./dashscope-model.ts";
import { geminiReader } from "./gemini-model.ts";
import { ollamaReader } from "./ollama-model.ts";
import { openaiReader } from "./openai-wire.ts";
import { type ProviderReader, readStream, createResponse, streamResponses } from "./reading.ts";
import type { Block, ChatResponse, ToolUseBlock } from "./response.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/**
 * Writes a response as a provider's whole answer, e.g. to convert a recording to another provider. Data without a place in
 * the provider's format (the order of blocks, a signature) is added next to it, so that it can be read without loss.
 */
export async function wireBodyOf(
  provider: WireProvider,
  response: ChatResponse,
  model: string,
): Promise<Fields> {
  expectNameIn(MAKERS, provider, "provider");
  const body = MAKERS[provider](response, model);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const back = await responseFromWire(provider, { body: bytes });
  const { content, id, usage } = response;
  const lost = {
    ...(!isSameJson(back.content, content) && { content }),
    ...(back.id !== id && { id }),
    ...(usage !== null && usage.metadata !== null && { usage: usage.metadata }),
  };
  return Object.keys(lost).length === 0 ? body : { ...body, [BESIDE]: lost };
}

const MAKERS: Readonly<Record<WireProvider, (response: ChatResponse, model: string) => Fields>> = {
  openai: openaiBody,
  anthropic: anthropicBody,
  dashscope: dashscopeBody,
  gemini: geminiBody,
  ollama: ollamaBody,
};

function openaiBody({ id, content, usage }: ChatResponse, model: string): Fields {
  const audio = content.find((block) => block.type === "audio");
  return {
    id,
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: textIn(content) || null,
          refusal: null,
          ...(thinkingIn(content) !== undefined && { reasoning_content: thinkingIn(content) }),
          ...(audio && { audio: { data: audio.source.data } }),
          ...(callsIn(content).length > 0 && { tool_calls: callsIn(content).map(functionCall) }),
        },
        finish_reason: callsIn(content).length > 0 ? "tool_calls" : "stop",
      },
    ],
    ...(usage && {
      usage: {
        prompt_tokens: usage.input_tokens,
        completion_tokens: usage.output_tokens,
        total_tokens: usage.input_tokens + usage.output_tokens,
      },
    }),
  };
}

function anthropicBody({ id, content, usage }: ChatResponse, model: string): Fields {
  const blocks = content.flatMap((block): Fields[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type === "thinking")
      return [{ type: "thinking", thinking: block.thinking, signature: block.signature ?? "" }];
    if (block.type === "tool_use")
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
    return [];
  });
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: blocks,
    stop_reason: callsIn(content).length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    ...(usage && { usage: { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens } }),
  };
}

function dashscopeBody({ id, content, usage }: ChatResponse): Fields {
  const thinking = thinkingIn(content);
  const calls = callsIn(content).map(functionCall);
  const message = {
    role: "assistant",
    content: textIn(content),
    ...pickDefined({ reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    request_id: id,
    output: { choices: [{ message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] },
    ...(usage && { usage: { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens } }),
  };
}

function geminiBody({ id, content, usage }: ChatResponse, model: string): Fields {
  const signatureFields = (signature: string | undefined): Fields =>
    signature === undefined ? {} : { thoughtSignature: signature };
  const parts = content.flatMap((block): Fields[] => {
    if (block.type === "text") return [{ text: block.text, ...signatureFields(block.thought_signature) }];
    if (block.type === "thinking") return [{ text: block.thinking, thought: true }];
    if (block.type !== "tool_use") return [];
    const call = { id: block.id, name: block.name, args: block.input };
    return [{ functionCall: call, ...signatureFields(block.thought_signature) }];
  });
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    modelVersion: model,
    responseId: id,
    ...(usage && {
      usageMetadata: {
        promptTokenCount: usage.input_tokens,
        candidatesTokenCount: usage.output_tokens,
        totalTokenCount: usage.input_tokens + usage.output_tokens,
      },
    }),
  };
}

function ollamaBody({ content, usage }: ChatResponse, model: string): Fields {
  const thinking = thinkingIn(content);
  const calls = callsIn(content).map(({ name, input }) => ({ function: { name, arguments: input } }));
  return {
    model,
    created_at: "1970-01-01T00:00:00Z",
    message: {
      role: "assistant",
      content: textIn(content),
      ...pickDefined({ thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    done: true,
    done_reason: "stop",
    ...(usage && { prompt_eval_count: usage.input_tokens, eval_count: usage.output_tokens }),
  };
}

function functionCall({ id, name, input, raw_input }: ToolUseBlock): Fields {
  return { id, type: "function", function: { name, arguments: raw_input ?? JSON.stringify(input) } };
}

function textIn(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

function thinkingIn(content: readonly Block[]): string | undefined {
  const thoughts = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
  return thoughts.length === 0 ? undefined : thoughts.join("");
}

function callsIn(content: readonly Block[]): readonly ToolUseBlock[] {
  return content.filter((block) => block.type === "tool_use");
}

export type WireProvider = "openai" | "anthropic" | "dashscope" | "gemini" | "ollama";

export interface WireBody {
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

/** Member for data without a place in the provider's format. */
const BESIDE = "agentscope";

/**
 * Reads a recorded reply, whole or streamed, with the provider's usage as its metadata.
 * @throws ChatError if the reply reports a failure
 */
export async function responseFromWire(
  provider: WireProvider,
  wire: WireBody,
  given: Partial<Surroundings> = {},
): Promise<ChatResponse> {
  expectNameIn(READERS, provider, "provider");
  const surroundings = realSurroundings(given);
  const time = { startedMs: surroundings.now(), surroundings };
  const values = valuesIn(wire);
  const [only] = values;
  if (values.length === 1 && !isEvent(wire)) {
    const draft = READERS[provider].whole(withStatus(only), READING);
    const { content = draft.content, id = draft.id, raw } = besideIn(only);
    const usage = draft.usage && { ...draft.usage, raw: raw ?? draft.usage.raw ?? draft.usage.rawAtEnd };
    return createResponse({ ...draft, content, id, usage }, time);
  }
  let last: ChatResponse | undefined;
  const drafts = readStream(READERS[provider], replayValues(values), READING);
  for await (const response of streamResponses(drafts, time)) last = response;
  const whole = last ?? createResponse({ content: [] }, time);
  delete whole.is_last;
  return whole;
}

/** Reads the data that `wireBodyOf` added to an answer. */
function besideIn(value: unknown): {
  readonly content?: readonly Block[];
  readonly id?: string;
  readonly raw?: Fields;
} {
  const { content, id, usage } = readFields(readFields(value)[BESIDE]);
  return {
    ...(Array.isArray(content) && content.every(isBlock) && { content }),
    ...(typeof id === "string" && { id }),
    ...(isFields(usage) && { raw: usage }),
  };
}

function isBlock(value: unknown): value is Block {
  const { type } = readFields(value);
  return type === "text" || type === "thinking" || type === "tool_use" || type === "audio";
}

const isEvent = ({ contentType }: WireBody): boolean => /event-stream|ndjson/.test(String(contentType));

/** Returns the objects of a body: one object, the data of its events, or its lines. */
function valuesIn(wire: WireBody): readonly unknown[] {
  const { contentType, body } = wire;
  if (contentType?.includes("event-stream"))
    return readEvents(body).flatMap(({ data }) => tryParsePlainJson(data) ?? []);
  const text = decodeText(body);
  const whole = tryParsePlainJson(text);
  if (whole !== undefined) return [whole];
  return text.split("\n").flatMap((line) => tryParsePlainJson(line) ?? []);
}

const READING = { parseTools: true, log: () => undefined };
const READERS: Readonly<Record<WireProvider, ProviderReader>> = {
  openai: openaiReader,
  anthropic: anthropicReader,
  dashscope: dashscopeReader,
  gemini: geminiReader,
  ollama: ollamaReader,
};

async function* replayValues(values: readonly unknown[]): AsyncGenerator<unknown, void, void> {
  for (const value of values) yield withStatus(value);
}

/** Adds status 200, which is HTTP's on the wire. Only successful answers are recorded. */
const withStatus = (value: unknown): Fields => ({ status_code: 200, ...readFields(value) });
