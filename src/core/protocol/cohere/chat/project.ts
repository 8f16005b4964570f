import type { SseEvent } from "../../../wire/sse.ts";
import {
  countIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { messageFrom } from "./message.ts";

/** The neutral reading of a chat reply, whole or streamed. */
export function projectChat(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectWhole(read.value, reply.status);
  const { whole, error } = assemble(read.events);
  const projection = projectMessage(whole);
  const messages = [...projection.messages, ...(error === undefined ? [] : [failureMessage(error)])];
  return { ...projection, messages, events: read.events.length };
}

/** Cohere's errors are an object with a message that is a text. */
function projectWhole(value: unknown, status: number): Projection {
  const fields = fieldsOf(value);
  if (isFields(fields["message"])) return projectMessage(fields);
  const failed = status >= 400 || fields["code"] !== undefined;
  return failed && typeof fields["message"] === "string"
    ? { messages: [failureMessage(fields)] }
    : unreadable(jsonText(value));
}

function projectMessage(fields: Fields): Projection {
  return present({
    messages: isFields(fields["message"]) ? [messageFrom(fields["message"], "assistant")] : [],
    usage: usageFrom(fields["usage"]),
    finishReason: textIn(fields["finish_reason"]),
  });
}

/** `billed_units` leaves out what Cohere adds to the prompt; `tokens` is what was read and written. */
function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const tokens = fieldsOf(value["tokens"]);
  const billed = fieldsOf(value["billed_units"]);
  return present({
    inputTokens: countIn(tokens["input_tokens"]) ?? countIn(billed["input_tokens"]),
    outputTokens: countIn(tokens["output_tokens"]) ?? countIn(billed["output_tokens"]),
    cachedInputTokens: countIn(value["cached_tokens"]),
  });
}

interface Open {
  readonly contents: Map<number, Fields>;
  readonly calls: Map<number, Fields>;
  readonly citations: unknown[];
  plan: string;
  end: Fields;
  error?: unknown;
}

/** Puts a stream together in the shape of the reply that would have come without streaming. */
function assemble(events: readonly SseEvent[]): { readonly whole: Fields; readonly error?: unknown } {
  const open: Open = { contents: new Map(), calls: new Map(), citations: [], plan: "", end: {} };
  for (const { data } of events) addTo(open, fieldsOf(jsonIn(data)));
  const inOrder = (parts: Open["contents"]): Fields[] =>
    [...parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part);
  const message = {
    role: "assistant",
    tool_plan: open.plan,
    content: inOrder(open.contents),
    tool_calls: inOrder(open.calls),
    citations: open.citations,
  };
  return { whole: { message, ...open.end }, ...(open.error !== undefined && { error: open.error }) };
}

function addTo(open: Open, event: Fields): void {
  const index = countIn(event["index"]) ?? 0;
  const delta = fieldsOf(event["delta"]);
  const message = fieldsOf(delta["message"]);
  const type = textIn(event["type"]) ?? "";
  if (type.startsWith("content-")) {
    const content = fieldsOf(message["content"]);
    const known = open.contents.get(index) ?? {};
    const grown = { ...known, ...content, ...writtenOn(known, content, ["text", "thinking"]) };
    const kind = "thinking" in grown ? "thinking" : "text";
    // Ends have no content.
    if (Object.keys(grown).length > 0) open.contents.set(index, { type: kind, ...grown });
  } else if (type === "tool-plan-delta") open.plan += textIn(message["tool_plan"]) ?? "";
  else if (type.startsWith("tool-call-")) addCall(open, index, fieldsOf(message["tool_calls"]));
  else if (type === "citation-start") open.citations.push(message["citations"]);
  else if (type === "message-end") {
    open.end = { finish_reason: delta["finish_reason"], usage: delta["usage"] };
    if (delta["error"]) open.error = delta["error"];
  } else if (isFailure(event)) open.error = event;
}

/** Events of a stream have a type, and a failure is none of them. */
export function isFailure(event: Fields): boolean {
  return event["type"] === undefined && typeof event["message"] === "string";
}

function addCall(open: Open, index: number, call: Fields): void {
  if (Object.keys(call).length === 0) return;
  const known = open.calls.get(index) ?? {};
  const before = fieldsOf(known["function"]);
  const more = fieldsOf(call["function"]);
  const called = { ...before, ...more, ...writtenOn(before, more, ["arguments"]) };
  open.calls.set(index, { ...known, ...call, function: called });
}

function writtenOn(before: Fields, more: Fields, names: readonly string[]): Fields {
  const texts = names.flatMap((name) =>
    typeof more[name] === "string" || typeof before[name] === "string"
      ? [[name, `${textIn(before[name]) ?? ""}${textIn(more[name]) ?? ""}`] as const]
      : [],
  );
  return Object.fromEntries(texts);
}
