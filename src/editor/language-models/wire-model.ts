import { readFields, readList, readText, tryParsePlainJson } from "../../core/base/lenient.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import type { ReplyEvent } from "../../core/protocol/base/events.ts";
import { CHAT_FAMILY } from "../../core/protocol/openai/chat/reply.ts";

/**
 * The calls of `vscode.lm` as they are recorded: chat completions with `stream: true`, because VS Code's own wire is not
 * public. The pages, rules, and differences of chat completions work for them.
 */

/** A part of a message or of a reply. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | ThinkingPart
  | { readonly type: "data"; readonly mimeType: string; readonly bytes: Uint8Array }
  | ToolCall
  | { readonly type: "tool-result"; readonly id: string; readonly parts: readonly ModelPart[] };

interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  readonly id?: string | undefined;
  /** Data that the provider expects back with its thinking, such as a signature. */
  readonly metadata?: object | undefined;
}

interface ToolCall {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface WireMessage {
  readonly role: "system" | "user" | "assistant";
  readonly name?: string | undefined;
  readonly parts: readonly ModelPart[];
}

/** Description of a model. It is stored in the first event of a reply, so that a recording can offer the model. */
export interface ModelFacts {
  /** `vendor/id` of the window's own model. */
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly maxInputTokens: number;
}

export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema?: object | undefined;
  }[];
  readonly isToolRequired: boolean;
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
}

export function buildRequestBody({
  model,
  messages,
  tools = [],
  isToolRequired,
  modelOptions,
}: WireRequest): object {
  return {
    model,
    messages: buildMessages(messages),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, ...(inputSchema && { parameters: inputSchema }) },
      })),
    }),
    ...(isToolRequired && { tool_choice: "required" }),
    ...modelOptions,
    stream: true,
  };
}

/** Returns the messages as chat completions have them: each tool result is a message. */
export const buildMessages = (messages: readonly WireMessage[]): readonly object[] =>
  messages.flatMap(buildMessagesOfOne);

function buildMessagesOfOne({ role, name, parts }: WireMessage): readonly object[] {
  const results = parts.flatMap((part) =>
    part.type === "tool-result"
      ? { role: "tool", tool_call_id: part.id, content: buildContent(part.parts) }
      : [],
  );
  const content = parts.filter(({ type }) => type === "text" || type === "data");
  const calls = parts.filter((part): part is ToolCall => part.type === "tool-call");
  const thinking = parts.map((part) => (part.type === "thinking" ? part.text : "")).join("");
  if (content.length + calls.length === 0 && thinking === "" && results.length > 0) return results;
  const message = {
    role,
    ...(name !== undefined && { name }),
    content: buildContent(content),
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(buildToolCall) }),
  };
  return [...results, message];
}

/** Returns one text if there are only texts. */
function buildContent(parts: readonly ModelPart[]): string | readonly object[] {
  if (parts.every((part) => part.type === "text")) return parts.map(({ text }) => text).join("");
  return parts.flatMap((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    return part.type === "data" ? buildData(part.mimeType, part.bytes) : [];
  });
}

function buildData(mimeType: string, bytes: Uint8Array): object {
  const url = `data:${mimeType};base64,${Buffer.from(bytes).toString("base64")}`;
  return mimeType.startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { file_data: url } };
}

const buildToolCall = ({ id, name, input }: ToolCall): object => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

/** Writes a reply as the events of a stream, one for each part, as the parts arrive. */
export async function* writeReply(
  model: ModelFacts,
  parts: AsyncIterable<ModelPart>,
): AsyncGenerator<Uint8Array> {
  let calls = 0;
  yield writeChunk(model, { role: "assistant", content: "" }, { vscode: model });
  for await (const part of parts) {
    if (part.type === "tool-result") continue;
    yield writeChunk(model, buildDelta(part, calls), describeThinking(part));
    if (part.type === "tool-call") calls += 1;
  }
  yield writeChunk(model, {}, {}, calls > 0 ? "tool_calls" : "stop");
  yield encoder.encode("data: [DONE]\n\n");
}

const encoder = new TextEncoder();

/** The field of a chunk with the facts of a thinking part that chat completions do not have. */
const THINKING = "vscode_thinking";

function describeThinking(part: ModelPart): object {
  if (part.type !== "thinking" || (part.id === undefined && part.metadata === undefined)) return {};
  return { [THINKING]: { id: part.id, metadata: part.metadata } };
}

function readThinking(chunk: Readonly<Record<string, unknown>>): ThinkingPart {
  const [choice] = readList(chunk["choices"]);
  const { id, metadata } = readFields(chunk[THINKING]);
  return {
    type: "thinking",
    text: readText(readFields(readFields(choice)["delta"])["reasoning_content"]) ?? "",
    ...pickDefined({
      id: readText(id),
      metadata: metadata === undefined ? undefined : readFields(metadata),
    }),
  };
}

function writeChunk({ id }: ModelFacts, delta: object, more: object = {}, finish?: string): Uint8Array {
  const chunk = {
    id: "chatcmpl-vscode",
    object: "chat.completion.chunk",
    created: 0,
    model: id,
    ...more,
    choices: [{ index: 0, delta, finish_reason: finish ?? null }],
  };
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

function buildDelta(part: Exclude<ModelPart, { readonly type: "tool-result" }>, index: number): object {
  if (part.type === "text") return { content: part.text };
  if (part.type === "thinking") return { reasoning_content: part.text };
  if (part.type === "data") return { content: [buildData(part.mimeType, part.bytes)] };
  return { tool_calls: [{ index, ...buildToolCall(part) }] };
}

/** The pieces of a call so far. `input` is JSON text. */
type OpenCall = Record<"id" | "name" | "input", string>;

/** Reads the parts of a reply from the data of its events. A reply written by hand can have a call in several events. */
export function createReplyReader() {
  const reader = CHAT_FAMILY.reader();
  const calls = new Map<number, OpenCall>();
  return {
    read(data: string): readonly ModelPart[] {
      const chunk = readFields(tryParsePlainJson(data));
      if (chunk[THINKING] !== undefined) return [readThinking(chunk)];
      return reader.read(chunk).flatMap((event) => readEvent(event, calls));
    },
    /** Returns the calls of a stream without a finish reason. */
    end: () => takeCalls(calls),
  };
}

function readEvent(event: ReplyEvent, calls: Map<number, OpenCall>): readonly ModelPart[] {
  if (event.type === "text" || event.type === "thinking")
    return event.text === "" ? [] : [{ type: event.type, text: event.text }];
  if (event.type === "part")
    return event.parts.flatMap((part) => (part.type === "media" ? readDataUrl(part.url ?? "") : []));
  if (event.type === "finish") return takeCalls(calls);
  if (event.type === "call") {
    const { id, name, input } = calls.get(event.index) ?? { id: "", name: "", input: "" };
    calls.set(event.index, {
      id: event.id ?? id,
      name: event.name ?? name,
      input: input + (event.arguments ?? ""),
    });
  }
  return [];
}

function takeCalls(calls: Map<number, OpenCall>): readonly ToolCall[] {
  const all = Array.from(calls.values(), ({ id, name, input }): ToolCall => {
    return { type: "tool-call", id, name, input: readFields(tryParsePlainJson(input)) };
  });
  calls.clear();
  return all;
}

function readDataUrl(url: string): readonly ModelPart[] {
  const [, mimeType, encoded] = /^data:([^;,]+);base64,([\s\S]*)$/.exec(url) ?? [];
  if (mimeType === undefined || encoded === undefined) return [];
  return [{ type: "data", mimeType, bytes: Uint8Array.from(Buffer.from(encoded, "base64")) }];
}

/** Reads the description of the model from the first event of a reply; undefined if there is none. */
export function readModelFacts(reply: string): ModelFacts | undefined {
  const [, data = ""] = /^data: (.*)$/m.exec(reply) ?? [];
  const chunk = readFields(tryParsePlainJson(data));
  const facts = readFields(chunk["vscode"]);
  const id = readText(facts["id"]) ?? readText(chunk["model"]);
  if (id === undefined) return undefined;
  const maxInputTokens = facts["maxInputTokens"];
  return {
    id,
    name: readText(facts["name"]) ?? id,
    family: readText(facts["family"]) ?? id.slice(id.indexOf("/") + 1),
    version: readText(facts["version"]) ?? "",
    maxInputTokens: typeof maxInputTokens === "number" ? maxInputTokens : DEFAULT_INPUT_TOKENS,
  };
}

/** Assumed for a recording without this fact. */
const DEFAULT_INPUT_TOKENS = 128_000;
