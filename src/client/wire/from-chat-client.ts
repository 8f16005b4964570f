import type { ChatClient } from "../chat-client.ts";
import { invalid } from "../errors.ts";
import { type Message, type Part, textOf, type ToolCallPart, toolCallsOf } from "../message.ts";
import {
  type ChatReply,
  type FinishReason,
  inputTokens,
  type StreamEvent,
  totalTokens,
  type Usage,
} from "../reply.ts";
import type { ChatRequest, ChatSettings } from "../request.ts";
import type { ToolChoice, ToolDefinition } from "../tool.ts";
import {
  type CompletionParams,
  type Completions,
  convertFunctionCall,
  readToolCall,
  type SendOptions,
} from "./completions.ts";
import { type Fields, readFields, readList, readString } from "../../core/base/lenient.ts";

/** Makes any `ChatClient`, such as a script, an echo, or a cached client, answer OpenAI's requests. */
export function completionsOf(client: ChatClient): Completions {
  return {
    async create(params, options) {
      const request = createCompletionRequest(params, options);
      if (params["stream"] === true) return chunks(client.stream(request));
      return completionOf(await client.complete(request));
    },
  };
}

const SETTINGS: Readonly<Record<string, keyof ChatSettings>> = {
  max_tokens: "maxOutputTokens",
  max_completion_tokens: "maxOutputTokens",
  temperature: "temperature",
  top_p: "topP",
  frequency_penalty: "frequencyPenalty",
  presence_penalty: "presencePenalty",
  seed: "seed",
  parallel_tool_calls: "parallelToolCalls",
};
const TAKEN = new Set([
  ...Object.keys(SETTINGS),
  ..."model messages tools tool_choice stream timeout stop extra_body".split(" "),
]);

/** Converts a request. @throws ChatError "validation" with the place in the request */
export function createCompletionRequest(params: CompletionParams, options: SendOptions = {}): ChatRequest {
  const { messages, tools, tool_choice: choice, stop, extra_body: body } = params;
  const settings: Record<string, unknown> = {};
  for (const [wireName, name] of Object.entries(SETTINGS)) {
    if (params[wireName] !== undefined && params[wireName] !== null) settings[name] = params[wireName];
  }
  if (stop !== undefined && stop !== null) settings["stop"] = typeof stop === "string" ? [stop] : stop;
  const rest = Object.entries(params).filter(([name, value]) => !TAKEN.has(name) && value !== undefined);
  const extra = { ...Object.fromEntries(rest), ...readFields(body) };
  if (Object.keys(extra).length > 0) settings["extra"] = extra;
  if (options.timeoutMs !== undefined) settings["timeoutMs"] = options.timeoutMs;
  return {
    messages: readList(messages).map((message, index) => readMessage(message, `messages[${index}]`)),
    ...(Array.isArray(tools) &&
      tools.length > 0 && { tools: tools.map(toolOf), toolChoice: choiceOf(choice) }),
    settings,
    ...(options.signal && { signal: options.signal }),
  };
}

function readMessage(message: unknown, where: string): Message {
  const { role, content, tool_calls: calls, tool_call_id: callId, name } = readFields(message);
  const named = typeof name === "string" ? { name } : {};
  if (role === "tool") {
    const text = typeof content === "string" ? content : readParts(content, where).flatMap(textual);
    return {
      role,
      parts: [{ type: "tool-result", callId: readString(callId) ?? "", content: text, ...named }],
    };
  }
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "developer") {
    throw invalid(where, `has the role ${JSON.stringify(role) ?? "undefined"}`);
  }
  const toolCalls = readList(calls).map((call): ToolCallPart => {
    const { id, ...called } = readToolCall(call);
    return { type: "tool-call", id: id ?? "", ...called };
  });
  const parts = [...readParts(content, where), ...toolCalls];
  return { role: role === "developer" ? "system" : role, parts, ...named };
}

function textual(part: Part): { readonly type: "text"; readonly text: string }[] {
  return part.type === "text" ? [{ type: "text", text: part.text }] : [];
}

function readParts(content: unknown, where: string): readonly Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw invalid(`${where}.content`, "must be a text or a list of parts");
  return content.map((part: unknown, index) => {
    if (typeof part === "string") return { type: "text", text: part };
    const { type, text, image_url: image } = readFields(part);
    if (typeof text === "string") return { type: "text", text };
    const { url, detail } = readFields(image);
    if (typeof url !== "string")
      throw invalid(`${where}.content[${index}]`, `is a part of type ${JSON.stringify(type) ?? "undefined"}`);
    return { type: "image", source: { kind: "url", url }, ...(typeof detail === "string" && { detail }) };
  });
}

function toolOf(tool: unknown, index: number): ToolDefinition {
  const { name, description, parameters } = readFields(readFields(tool)["function"]);
  if (typeof name !== "string" || name === "") throw invalid(`tools[${index}]`, "has no name");
  return {
    name,
    ...(typeof description === "string" && { description }),
    ...(typeof parameters === "object" && parameters !== null && { parameters: readFields(parameters) }),
  };
}

function choiceOf(choice: unknown): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  const { name } = readFields(readFields(choice)["function"]);
  return typeof name === "string" ? { tool: name } : "auto";
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  error: "error",
  other: "stop",
};

function completionOf(reply: ChatReply): Fields {
  const text = textOf(reply.message);
  const thinking = reply.message.parts
    .flatMap((part) => (part.type === "thinking" ? [part.text] : []))
    .join("");
  const calls = toolCallsOf(reply.message);
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(convertFunctionCall) }),
  };
  return {
    id: reply.id ?? "",
    object: "chat.completion",
    model: reply.model ?? "",
    choices: [{ index: 0, message, finish_reason: REASONS[reply.finishReason] }],
    ...(reply.usage !== undefined && { usage: wireUsage(reply.usage) }),
  };
}

function wireUsage(usage: Usage): Fields {
  return {
    prompt_tokens: inputTokens(usage),
    completion_tokens: usage.outputTokens,
    total_tokens: totalTokens(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

async function* chunks(events: AsyncIterable<StreamEvent>): AsyncGenerator<Fields> {
  const places = new Map<number, number>();
  for await (const event of events) {
    if (event.type === "usage") yield { choices: [], usage: wireUsage(event.usage) };
    else if (event.type === "finish") yield chunk({}, REASONS[event.reason]);
    else if (event.type === "text") yield chunk({ content: event.text });
    else if (event.type === "thinking") yield chunk({ reasoning_content: event.text });
    else if (event.type === "tool-call") {
      const index = places.get(event.index) ?? places.size;
      places.set(event.index, index);
      const called = { name: event.name, arguments: event.arguments };
      yield chunk({ tool_calls: [{ index, id: event.id, type: "function", function: called }] });
    }
  }
}

function chunk(delta: Fields, finishReason: string | null = null): Fields {
  return { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] };
}
