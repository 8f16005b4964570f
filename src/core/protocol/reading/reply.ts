import { framingOf, cutBody } from "../../wire/framing.ts";
import { readMessages } from "../../wire/event-stream-text.ts";
import { readEvents, type SseEvent } from "../../wire/sse.ts";
import { textOf } from "../../wire/text.ts";
import { fieldsOf, isFields, jsonIn, jsonText, textIn, type Fields } from "./lenient.ts";
import type { Message, Protocol, Projection } from "../protocol.ts";

/** What a protocol is given of a reply. */
export type Reply = Parameters<Protocol["project"]>[0];

/** A reply body by its framing. */
export type ReadReply =
  | { readonly kind: "stream"; readonly events: readonly SseEvent[] }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string };

/** Reads a body as its content type says, and by its looks where the type says nothing. A line is an event, too. */
export function readReply(reply: Reply): ReadReply {
  const framing = framingOf(reply.contentType);
  if (framing === "events") return { kind: "stream", events: readEvents(reply.body) };
  if (framing === "lines") return { kind: "stream", events: readLines(reply.body) };
  if (framing === "messages") return { kind: "stream", events: readMessages(reply.body) };
  const text = textOf(reply.body);
  const value = jsonIn(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return { kind: "json", value };
  if (/^\uFEFF?(?:data|event|id|retry)?:/.test(text))
    return { kind: "stream", events: readEvents(reply.body) };
  return { kind: "text", text };
}

function readLines(body: Uint8Array): SseEvent[] {
  const lines = cutBody(body, "lines").map((line) => textOf(line).trim());
  return lines.filter((line) => line !== "").map((data) => ({ data }));
}

/** A reply that says in words of its own that something failed. */
export function failureMessage(error: unknown): Message {
  const fields = fieldsOf(error);
  const text = typeof error === "string" ? error : (textIn(fields["message"]) ?? jsonText(error));
  const kind = textIn(fields["type"]) ?? textIn(fields["code"]) ?? textIn(fields["status"]);
  return { role: "error", parts: [{ type: "text", text: kind === undefined ? text : `${kind}: ${text}` }] };
}

/** What stands where a reply cannot be read as one of its operation. */
export function unreadable(text: string): Projection {
  return { messages: [{ role: "reply", parts: [{ type: "other", description: "unreadable reply", text }] }] };
}

/**
 * The reading of a reply that is JSON and never a stream. `read` gives undefined for what is not of its operation: it is
 * shown as it is.
 */
export function projectJson(reply: Reply, read: (fields: Fields) => Projection | undefined): Projection {
  const framed = readReply(reply);
  if (framed.kind !== "json") return unreadable(framed.kind === "text" ? framed.text : "a stream");
  return read(fieldsOf(framed.value)) ?? unreadable(jsonText(framed.value));
}

/** Whether a body is a JSON object that does not say `error`. */
export function isWholeJson(body: Uint8Array): boolean {
  const value = jsonIn(textOf(body));
  return isFields(value) && !value["error"] && value["type"] !== "error";
}
