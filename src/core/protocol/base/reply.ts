import { localize } from "../../base/localize.ts";
import { chooseFraming, cutBody } from "../../base/wire/framing.ts";
import { readMessages } from "../../base/wire/event-stream-text.ts";
import { readEvents, type SseEvent } from "../../base/wire/sse.ts";
import { decodeText } from "../../base/wire/text.ts";
import {
  readFields,
  isFields,
  tryParsePlainJson,
  stringifyJson,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import type { ConversationMessage, Protocol, Projection, ReadReply, Reply } from "./protocol.ts";
import { createOtherPart, createReplyMessage, createTextPart } from "./parts.ts";

/** Replies that were read: the cost of one call needs the counts of a reply, and then its texts. */
const readings = new WeakMap<Reply, ReadReply>();

/** Reads a body by its content type, or by its content if the type is unknown. Lines of JSON count as events. */
export function readReply(reply: Reply): ReadReply {
  const known = readings.get(reply);
  if (known !== undefined) return known;
  const read = readByType(reply);
  readings.set(reply, read);
  return read;
}

function readByType(reply: Reply): ReadReply {
  const framing = chooseFraming(reply.contentType);
  if (framing === "events") return { kind: "stream", events: readEvents(reply.body) };
  if (framing === "lines") return { kind: "stream", events: readLines(reply.body) };
  if (framing === "messages") return { kind: "stream", events: readMessages(reply.body) };
  const text = decodeText(reply.body);
  const value = tryParsePlainJson(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return { kind: "json", value };
  if (/^\uFEFF?(?:data|event|id|retry)?:/.test(text))
    return { kind: "stream", events: readEvents(reply.body) };
  return { kind: "text", text };
}

function readLines(body: Uint8Array): SseEvent[] {
  const lines = cutBody(body, "lines").map((line) => decodeText(line).trim());
  return lines.filter((line) => line !== "").map((data) => ({ data }));
}

/** Makes the message that shows a failure in a reply. */
export function createFailureMessage(error: unknown): ConversationMessage {
  const fields = readFields(error);
  const text = typeof error === "string" ? error : (readText(fields["message"]) ?? stringifyJson(error));
  const kind = readText(fields["type"]) ?? readText(fields["code"]) ?? readText(fields["status"]);
  return { role: "error", parts: [createTextPart(kind === undefined ? text : `${kind}: ${text}`)] };
}

/** Makes the projection of a reply that cannot be read. */
export function createUnreadableProjection(text: string): Projection {
  return { messages: [{ role: "reply", parts: [createOtherPart(localize("unreadable reply"), text)] }] };
}

/** A stream's projection and the errors that it reported. */
export interface StreamReading {
  readonly read: Projection;
  readonly errors: readonly unknown[];
}

export interface ReplyReading {
  /** Returns the error in a whole reply, or a falsy value without one. Default: the member `error`. */
  readonly failure?: (fields: Fields, reply: Reply) => unknown;
  /** Reads any other whole reply. Returns undefined for a reply of another operation, which is shown as JSON. */
  readonly whole: (fields: Fields, reply: Reply, value: unknown) => Projection | undefined;
  readonly stream?: (events: readonly SseEvent[]) => StreamReading;
}

/** Makes the function that projects an operation's replies: JSON, and streams if the operation has them. */
export function createProjector({ failure, whole, stream }: ReplyReading): Protocol["project"] {
  return (reply) => {
    const framed = readReply(reply);
    if (framed.kind === "text")
      return framed.text === ""
        ? { messages: [createReplyMessage(localize("nothing"))] }
        : createUnreadableProjection(framed.text);
    if (framed.kind === "stream") {
      if (stream === undefined) return createUnreadableProjection("a stream");
      const { read, errors } = stream(framed.events);
      const messages = [...read.messages, ...errors.map(createFailureMessage)];
      return { ...read, messages, events: framed.events.length };
    }
    const fields = readFields(framed.value);
    const error = failure === undefined ? fields["error"] : failure(fields, reply);
    if (error) return { messages: [createFailureMessage(error)] };
    return whole(fields, reply, framed.value) ?? createUnreadableProjection(stringifyJson(framed.value));
  };
}

/** Whether a body is a JSON object without an error. */
export function isWholeJson(body: Uint8Array): boolean {
  const value = tryParsePlainJson(decodeText(body));
  return isFields(value) && !value["error"] && value["type"] !== "error";
}
