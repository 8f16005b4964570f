import type { SseEvent } from "../../../wire/sse.ts";
import { bytesOf } from "../../../wire/text.ts";
import { projectMessage } from "../../anthropic/messages/project.ts";
import { projectEvents } from "../converse/project.ts";
import { exceptionIn } from "../message.ts";
import { streamFailure, wholeFailure } from "../failure.ts";
import { fieldsOf, jsonIn, jsonText, listOf, type Fields } from "../../reading/lenient.ts";
import { projectChat } from "../../openai/chat/project.ts";
import type { Projection } from "../../protocol.ts";
import { readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { projectFamily, simpleProjection, simpleText, type SimpleText } from "./reply-families.ts";

/** The neutral reading of what a model answered, whole or in chunks. */
export function projectInvoked(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "stream") return projectChunks(read.events);
  const fields = fieldsOf(read.value);
  const failure = wholeFailure(fields, reply.status);
  if (failure !== undefined) return { messages: [failure] };
  return projectFamily(fields, reply) ?? unreadable(jsonText(read.value));
}

function projectChunks(events: readonly SseEvent[]): Projection {
  const failures = events.flatMap(({ event, data }) => exceptionIn(event, data) ?? []);
  const chunks = events.filter(({ event, data }) => exceptionIn(event, data) === undefined);
  const projection = projectStreamed(chunks);
  const messages = [...projection.messages, ...failures.map(streamFailure)];
  return { ...projection, messages, events: events.length };
}

/** A chunk is what the maker's own stream would have had as an event. */
function projectStreamed(chunks: readonly SseEvent[]): Projection {
  const all = chunks.map(({ data }) => fieldsOf(jsonIn(data)));
  const [first = {}] = all;
  if (first["type"] === "message_start") return projectMessage(asEvents(chunks));
  if (first["messageStart"] !== undefined) return projectEvents(all.flatMap(namedEvent));
  if (listOf(first["choices"]).some((choice) => "delta" in fieldsOf(choice)))
    return projectChat(asEvents(chunks));
  return joined(all);
}

/** The chunks as the maker's API would send them. */
function asEvents(chunks: readonly SseEvent[]): Reply {
  const body = bytesOf(chunks.map(({ data }) => `data: ${data}\n\n`).join(""));
  return { status: 200, contentType: "text/event-stream", body };
}

/** Nova's chunks are converse's events under their names. */
function namedEvent(chunk: Fields): SseEvent[] {
  const [entry] = Object.entries(chunk);
  return entry === undefined ? [] : [{ event: entry[0], data: jsonText(entry[1]) }];
}

function joined(chunks: readonly Fields[]): Projection {
  const texts = chunks.flatMap((chunk) => simpleText(chunk) ?? []);
  if (texts.length === 0) return { messages: [] };
  const whole = texts.reduce((before: SimpleText, more) => ({
    text: before.text + more.text,
    reason: more.reason ?? before.reason,
    inputTokens: more.inputTokens ?? before.inputTokens,
    outputTokens: more.outputTokens ?? before.outputTokens,
  }));
  return simpleProjection(whole);
}
