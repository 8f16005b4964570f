import type { ClientName } from "./clients.ts";

/** What a reply says, read from its bytes without the code under test. */
export interface ReplyFacts {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly input: number | undefined;
  readonly output: number | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any provider
type Any = any;

/** Undefined for what is no answer of the operation (another kind of object, a stream that was cut on purpose). */
export function factsOf(name: ClientName, body: Uint8Array, form: "json" | "stream"): ReplyFacts | undefined {
  const text = Buffer.from(body).toString();
  const values = valuesIn(text, form);
  // Some files hold the streams of several turns, one after the other.
  if (values.filter(({ type }) => type === "message_start" || type === "response.created").length > 1)
    return undefined;
  if (name === "anthropic") return anthropicFacts(values, form);
  if (name === "gemini") return geminiFacts(values);
  return name.endsWith("responses") ? responsesFacts(values, form) : chatFacts(values, form);
}

/** None where an event is no JSON, as one file has it on purpose. */
function valuesIn(text: string, form: "json" | "stream"): Any[] {
  try {
    return form === "json" ? [JSON.parse(text)] : eventsIn(text);
  } catch {
    return [];
  }
}

function eventsIn(text: string): Any[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((frame) => /^data: ?(.*)$/m.exec(frame)?.[1])
    .filter((data) => data !== undefined && data !== "[DONE]")
    .map((data) => JSON.parse(data!));
}

function chatFacts(values: Any[], form: "json" | "stream"): ReplyFacts | undefined {
  const messages: Any[] = values.flatMap((value) => {
    const choice = value.choices?.find((one: Any) => (one.index ?? 0) === 0);
    return choice === undefined ? [] : [form === "json" ? choice.message : choice.delta];
  });
  if (messages.length === 0) return undefined;
  const ended = values.some((value) => value.choices?.[0]?.finish_reason);
  if (!ended) return undefined;
  const usage = values.map((value) => value.usage ?? value.x_groq?.usage).findLast((one) => one);
  const calls = new Map<unknown, [string, string]>();
  for (const message of messages)
    for (const [at, call] of (message?.tool_calls ?? []).entries()) {
      const key = call.index ?? at;
      const known = calls.get(key) ?? ["", ""];
      calls.set(key, [known[0] || (call.function.name ?? ""), known[1] + (call.function.arguments ?? "")]);
    }
  const content = messages.flatMap((message) =>
    typeof message?.content === "string"
      ? [{ type: "text", text: message.content }]
      : (message?.content ?? []),
  );
  const listed = content
    .filter((part: Any) => part.type === "thinking")
    .flatMap((part: Any) => part.thinking);
  const thinking = messages.map((message) => message?.reasoning_content || message?.reasoning || "");
  const refused = messages.map((message) => message?.refusal ?? "").join("");
  return {
    text: content.map((part: Any) => part.text ?? "").join("") + refused,
    thinking: thinking.join("") + listed.map((part: Any) => part.text ?? part).join(""),
    calls: [...calls.values()].map(([called, args]) => [called, compact(args)]),
    input: usage?.prompt_tokens,
    output: usage && completionTokens(usage),
  };
}

/** xAI counts thoughts beside the completion, and others as part of it. */
function completionTokens(usage: Any): number {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  const thoughts = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return input + output + thoughts === total ? output + thoughts : output;
}

function responsesFacts(values: Any[], form: "json" | "stream"): ReplyFacts | undefined {
  const whole: Any =
    form === "json"
      ? values[0]
      : values.findLast(({ type }) => /response\.(completed|incomplete)/.test(type))?.response;
  if (whole?.object !== "response" || whole.output === undefined) return undefined;
  const contents = whole.output
    .filter(({ type }: Any) => type === "message")
    .flatMap(({ content }: Any) => content);
  const thoughts = whole.output.filter(({ type }: Any) => type === "reasoning");
  const calls = whole.output.filter(
    ({ type }: Any) => type === "function_call" || type === "custom_tool_call",
  );
  return {
    text: contents.map((part: Any) => part.text ?? part.refusal ?? "").join(""),
    thinking: thoughts
      .map((item: Any) =>
        [...(item.summary ?? []), ...(item.content ?? [])].map(({ text }: Any) => text).join("\n\n"),
      )
      .join(""),
    calls: calls.map((call: Any) => [call.name, compact(call.arguments ?? call.input)]),
    input: whole.usage?.input_tokens,
    output: whole.usage?.output_tokens,
  };
}

function anthropicFacts(values: Any[], form: "json" | "stream"): ReplyFacts | undefined {
  if (values.length === 0) return undefined;
  if (form === "json" && values[0]?.type !== "message") return undefined;
  if (form === "stream" && !values.some(({ type, delta }) => type === "message_delta" && delta?.stop_reason))
    return undefined;
  const blocks: Any[] = form === "json" ? values[0].content : streamedBlocks(values);
  const usages = values.flatMap((value) => [value.usage, value.message?.usage]).filter((one) => one);
  const usage = Object.assign({}, ...usages.map(withoutNulls));
  return {
    text: blocks
      .filter(({ type }) => type === "text")
      .map(({ text }) => text)
      .join(""),
    thinking: blocks
      .filter(({ type }) => type === "thinking")
      .map(({ thinking }) => thinking)
      .join(""),
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ name, input, json }) => [name, json ? compact(json) : JSON.stringify(input)]),
    input:
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
  };
}

function withoutNulls(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null));
}

function streamedBlocks(values: Any[]): Any[] {
  const blocks: Any[] = [];
  for (const value of values) {
    if (value.type === "content_block_start") blocks[value.index] = { ...value.content_block, json: "" };
    const block = blocks[value.index];
    if (value.type !== "content_block_delta" || block === undefined) continue;
    if (value.delta.type === "text_delta") block.text += value.delta.text;
    if (value.delta.type === "thinking_delta") block.thinking += value.delta.thinking;
    if (value.delta.type === "input_json_delta") block.json += value.delta.partial_json;
  }
  return blocks.filter((block) => block !== undefined);
}

function geminiFacts(values: Any[]): ReplyFacts | undefined {
  const candidates = values.map((value) => value.candidates?.[0]).filter((one) => one);
  if (!candidates.some(({ finishReason }) => finishReason)) return undefined;
  const parts: Any[] = candidates.flatMap(({ content }) => content?.parts ?? []);
  const usage = values.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata;
  // Arguments that come in pieces have a test of their own.
  if (parts.some(({ functionCall }) => functionCall && functionCall.name === undefined)) return undefined;
  const said = parts.filter(({ text }) => text !== undefined);
  return {
    text: said
      .filter(({ thought }) => !thought)
      .map(({ text }) => text)
      .join(""),
    thinking: said
      .filter(({ thought }) => thought)
      .map(({ text }) => text)
      .join(""),
    calls: parts
      .filter(({ functionCall }) => functionCall)
      .map(({ functionCall }) => [functionCall.name, JSON.stringify(functionCall.args ?? {})]),
    input: usage && (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    output: usage && (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
  };
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
