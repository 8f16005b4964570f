import type { SseEvent } from "../../base/wire/sse.ts";
import { countIn, fieldsOf, inOrder, isFields, jsonIn, textIn, type Fields } from "../../base/lenient.ts";
import { replyReader, type StreamReading } from "../base/reply.ts";
import { usageIn } from "../base/usage.ts";
import type { Projection } from "../base/protocol.ts";
import { failedEvent, failureIn } from "./failure.ts";
import { messageFrom } from "./chat-message.ts";

export const projectChat = replyReader({
  failure: (fields, { status }) => (status >= 400 || fields["code"] !== undefined) && failureIn(fields),
  whole: (fields) => (isFields(fields["message"]) ? projectMessage(fields) : undefined),
  stream: assemble,
});

function projectMessage(fields: Fields): Projection {
  return {
    messages: isFields(fields["message"]) ? [messageFrom(fields["message"], "assistant")] : [],
    usage: usageIn(fields["usage"], "cohere"),
    finishReason: textIn(fields["finish_reason"]),
  };
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
function assemble(events: readonly SseEvent[]): StreamReading {
  const open: Open = { contents: new Map(), calls: new Map(), citations: [], plan: "", end: {} };
  for (const { data } of events) addTo(open, fieldsOf(jsonIn(data)));
  const message = {
    role: "assistant",
    tool_plan: open.plan,
    content: inOrder(open.contents),
    tool_calls: inOrder(open.calls),
    citations: open.citations,
  };
  return {
    read: projectMessage({ message, ...open.end }),
    errors: open.error === undefined ? [] : [open.error],
  };
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
  } else open.error = failedEvent(event, "type") ?? open.error;
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
