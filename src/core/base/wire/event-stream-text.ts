import { decodeBase64 } from "../base64.ts";
import { readFields, readString, tryParsePlainJson } from "../lenient.ts";
import { cutAll } from "./cutter.ts";
import { createMessageCutter, getHeaderText, readMessage, type EventMessage } from "./event-stream.ts";
import type { SseEvent } from "./sse.ts";
import { decodeText } from "./text.ts";

/** Prefix of the event name for failures, and name for invalid messages. Event types never contain a colon. */
export const EXCEPTION = "exception:";
export const BROKEN = "broken:";

/**
 * Reads the messages of a complete event stream as events, named by their type, with their payload as data. The name of
 * a failure is `exception:` and its type. Bedrock's invoke wraps a model's events in base64 (`{"bytes":…}`), which is
 * decoded.
 */
export function readMessages(body: Uint8Array): SseEvent[] {
  return cutAll(createMessageCutter(), body).map(messageEvent);
}

/** Formats one message as a server-sent event, so that rules about streams apply to both. */
export function writeMessageFrame(piece: Uint8Array): string {
  const { event, data } = messageEvent(piece);
  const lines = data.split(/\r\n|\n|\r/).map((line) => `data: ${line}\n`);
  return `event: ${event ?? ""}\n${lines.join("")}\n`;
}

/** Returns the fault of a piece of an event stream; undefined for a valid message. */
export function findMessageFault(piece: Uint8Array): string | undefined {
  const message = readMessage(piece);
  return typeof message === "string" ? message : undefined;
}

function messageEvent(piece: Uint8Array): SseEvent {
  const message = readMessage(piece);
  if (typeof message === "string") return { event: BROKEN, data: message };
  return { event: eventName(message), data: unwrapBytes(decodeText(message.payload)) };
}

/** Source of the header names: smithy.io/2.0/aws/amazon-eventstream.html, 2026-11. */
function eventName(message: EventMessage): string {
  const type = getHeaderText(message, ":message-type");
  if (type === undefined || type === "event") return getHeaderText(message, ":event-type") ?? "";
  const failure = getHeaderText(message, ":exception-type") ?? getHeaderText(message, ":error-code") ?? type;
  return `${EXCEPTION}${failure}`;
}

function unwrapBytes(payload: string): string {
  if (!payload.includes('"bytes"')) return payload;
  const inner = decodeBase64(readString(readFields(tryParsePlainJson(payload))["bytes"]) ?? "");
  return inner === undefined || inner.byteLength === 0 ? payload : decodeText(inner);
}
