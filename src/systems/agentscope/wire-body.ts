import { expectNameIn, expectObject } from "../../client/check-options.ts";
import { isSameJson } from "../../client/json/schema-check.ts";
import { type Fields, readFields, isFields, readText, tryParsePlainJson } from "../../core/base/lenient.ts";
import { parseJson } from "../../core/base/json/json-parse.ts";
import { anthropicMessages } from "../../core/protocol/anthropic/protocol.ts";
import type { Protocol, ReplyDraft } from "../../core/protocol/base/protocol.ts";
import { dashscopeGeneration } from "../../core/protocol/dashscope/protocol.ts";
import { geminiGenerate } from "../../core/protocol/gemini/protocol.ts";
import { ollamaChat } from "../../core/protocol/ollama/chat.ts";
import { openaiChat } from "../../core/protocol/openai/chat/protocol.ts";
import { readEvents } from "../../core/base/wire/sse.ts";
import { decodeText } from "../../core/base/wire/text.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import { anthropicReader } from "./anthropic-model.ts";
import { dashscopeReader } from "./dashscope-model.ts";
import { geminiReader } from "./gemini-model.ts";
import { ollamaReader } from "./ollama-model.ts";
import { openaiReader } from "./openai-wire.ts";
import { type ProviderRules, readStream, readWhole } from "./provider-reader.ts";
import { createResponse, streamResponses } from "./reading.ts";
import type { Block, ChatResponse } from "./response.ts";

/**
 * Writes a response as a provider's whole answer, e.g. to convert a recording to another provider. Data that
 * is not in the composed answer (thoughts, signatures, the order of blocks) is added next to it, so that nothing is lost.
 */
export async function wireBodyOf(
  provider: WireProvider,
  response: ChatResponse,
  model: string,
): Promise<Fields> {
  expectNameIn(WIRES, provider, "provider");
  expectObject(response, "response");
  const body = composeBody(WIRES[provider].protocol, response, model);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const back = await responseFromWire(provider, { body: bytes });
  const { content, id, usage } = response;
  const lost = {
    ...(!isSameJson(back.content, content) && { content }),
    ...(back.id !== id && { id }),
    ...(usage?.metadata !== null && { usage: usage?.metadata ?? null }),
  };
  return Object.keys(lost).length === 0 ? body : { ...body, [BESIDE]: lost };
}

/** The protocol that composes a provider's answer, and the reader of its answers. */
const WIRES: Readonly<Record<WireProvider, { readonly protocol: Protocol; readonly reader: ProviderRules }>> =
  {
    openai: { protocol: openaiChat, reader: openaiReader },
    anthropic: { protocol: anthropicMessages, reader: anthropicReader },
    dashscope: { protocol: dashscopeGeneration, reader: dashscopeReader },
    gemini: { protocol: geminiGenerate, reader: geminiReader },
    ollama: { protocol: ollamaChat, reader: ollamaReader },
  };

/** Composes an answer with the texts, the tool calls, and the usage of a response. */
function composeBody(protocol: Protocol, { content, usage }: ChatResponse, model: string): Fields {
  const calls = content.filter((block) => block.type === "tool_use");
  const draft: ReplyDraft = {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    ...(protocol.composesToolCalls && {
      toolCalls: calls.map(({ id, name, input, raw_input: text }) => {
        return { id, name, arguments: text ?? JSON.stringify(input) };
      }),
    }),
    ...(usage && { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
  };
  // The members that all of these protocols require.
  const sample = { model, stream: false, messages: [], contents: [], input: { messages: [] } };
  const { body } = protocol.compose(draft, {
    provider: "",
    method: "POST",
    path: `/v1beta/models/${model}:generateContent`,
    body: { kind: "json", tree: parseJson(JSON.stringify(sample)) },
  });
  return readFields(tryParsePlainJson(decodeText(body)));
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
  expectNameIn(WIRES, provider, "provider");
  expectObject(wire, "wire");
  const { reader } = WIRES[provider];
  const surroundings = realSurroundings(given);
  const time = { startedMs: surroundings.now(), surroundings };
  const values = valuesIn(wire);
  const [only] = values;
  if (values.length === 1 && !isEvent(wire)) {
    const draft = readWhole(reader, withStatus(only), READING);
    const { content, id, usage } = readFields(readFields(only)[BESIDE]);
    const raw = isFields(usage) ? usage : (draft.usage?.raw ?? draft.usage?.rawAtEnd);
    return createResponse(
      {
        ...draft,
        content: Array.isArray(content) && content.every(isBlock) ? content : draft.content,
        id: readText(id) ?? draft.id,
        usage: usage === null ? undefined : draft.usage && { ...draft.usage, raw },
      },
      time,
    );
  }
  let last: ChatResponse | undefined;
  const drafts = readStream(reader, replayValues(values), READING);
  for await (const response of streamResponses(drafts, time)) last = response;
  const whole = last ?? createResponse({ content: [] }, time);
  delete whole.is_last;
  return whole;
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

async function* replayValues(values: readonly unknown[]): AsyncGenerator<unknown, void, void> {
  for (const value of values) yield withStatus(value);
}

/** Adds status 200, which is HTTP's on the wire. Only successful answers are recorded. */
const withStatus = (value: unknown): Fields => ({ status_code: 200, ...readFields(value) });
