import { fieldsOf, jsonIn, type Fields } from "../../../core/protocol/reading/lenient.ts";
import { readEvents } from "../../../core/wire/sse.ts";
import { textOf } from "../../../core/wire/text.ts";
import { realSurroundings, type Surroundings } from "../../surroundings.ts";
import { anthropicReader } from "./anthropic-model.ts";
import { dashscopeReader } from "./dashscope-model.ts";
import { geminiReader } from "./gemini-model.ts";
import { ollamaReader } from "./ollama-model.ts";
import { openaiReader } from "./openai-read.ts";
import { readStream, responseOf, streamed, type ProviderReader } from "./reading.ts";
import type { Block, ChatResponse } from "./response.ts";

export type WireProvider = "openai" | "anthropic" | "dashscope" | "gemini" | "ollama";

/** A reply as it was recorded. */
export interface WireBody {
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

/** What a wire has no place for stands under this name beside the provider's own fields. */
export const BESIDE = "agentscope";

/**
 * A recorded reply as a response: whole answers and streams alike, with the provider's own usage as its metadata.
 * @throws ChatError where the reply says that it failed.
 */
export async function responseFromWire(
  provider: WireProvider,
  wire: WireBody,
  given: Partial<Surroundings> = {},
): Promise<ChatResponse> {
  const surroundings = realSurroundings(given);
  const time = { startedMs: surroundings.now(), surroundings };
  const values = valuesIn(wire);
  const [only] = values;
  if (values.length === 1 && !isEvent(wire)) {
    const draft = READERS[provider].whole(withStatus(only), READING);
    const { content = draft.content, id = draft.id, raw } = besideIn(only);
    const usage = draft.usage && { ...draft.usage, raw: raw ?? draft.usage.raw ?? draft.usage.rawAtEnd };
    return responseOf({ ...draft, content, id, usage }, time);
  }
  let last: ChatResponse | undefined;
  const drafts = readStream(READERS[provider], replayed(values), READING);
  for await (const response of streamed(drafts, time)) last = response;
  const whole = last ?? responseOf({ content: [] }, time);
  delete whole.is_last;
  return whole;
}

/** What `wireBodyOf` put beside an answer. */
function besideIn(value: unknown): {
  readonly content?: readonly Block[];
  readonly id?: string;
  readonly raw?: unknown;
} {
  const { content, id, usage } = fieldsOf(fieldsOf(value)[BESIDE]);
  return {
    ...(Array.isArray(content) && content.every(isBlock) && { content }),
    ...(typeof id === "string" && { id }),
    ...(usage !== undefined && { raw: usage }),
  };
}

function isBlock(value: unknown): value is Block {
  const { type } = fieldsOf(value);
  return type === "text" || type === "thinking" || type === "tool_use" || type === "audio";
}

function isEvent({ contentType = "" }: WireBody): boolean {
  return /event-stream|ndjson/.test(contentType);
}

/** The objects of a body: one, the data of its events, or its lines. */
function valuesIn(wire: WireBody): readonly unknown[] {
  const { contentType = "", body } = wire;
  if (contentType.includes("event-stream")) return readEvents(body).flatMap(({ data }) => jsonIn(data) ?? []);
  const text = textOf(body);
  const whole = jsonIn(text);
  if (whole !== undefined) return [whole];
  return text.split("\n").flatMap((line) => jsonIn(line) ?? []);
}

const READING = { parseTools: true, log: () => undefined };
const READERS: Readonly<Record<WireProvider, ProviderReader>> = {
  openai: openaiReader,
  anthropic: anthropicReader,
  dashscope: dashscopeReader,
  gemini: geminiReader,
  ollama: ollamaReader,
};

async function* replayed(values: readonly unknown[]): AsyncGenerator<unknown, void, void> {
  for (const value of values) yield withStatus(value);
}

/** On the wire the status of an answer is HTTP's; only answers are recorded, so it is 200. */
function withStatus(value: unknown): Fields {
  return { status_code: 200, ...fieldsOf(value) };
}
