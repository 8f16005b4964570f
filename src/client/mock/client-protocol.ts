import type { Answer, Outcome } from "../../core/call/call.ts";
import { plainJson } from "../../core/base/json/json-tree.ts";
import { httpProtocol } from "../../core/protocol/base/http.ts";
import type {
  Conversation,
  ConversationMessage,
  ProtocolRequest,
  ReplyDraft,
} from "../../core/protocol/base/protocol.ts";
import {
  isFields,
  jsonIn,
  type Fields,
  fieldsOf,
  isText,
  listOf,
  stringIn,
} from "../../core/base/lenient.ts";
import { createProviders, type ProviderTable } from "../../core/protocol/registry.ts";
import { bytesOf } from "../../core/base/wire/text.ts";
import { chatError, invalid } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";

/** The name under which the recordings of clients lie. */
export const CLIENT_PROVIDER = "client";
const ADDRESS = "https://client.tapedeck.invalid";

/**
 * The calls of clients as an engine reads them. They are plain HTTP, so that every reader of recordings knows them;
 * beyond that their messages are read, for scripts and the echo, and a text that no provider made becomes events.
 */
export function clientProviders(composed: (draft: ReplyDraft) => readonly StreamEvent[]): ProviderTable {
  const table = createProviders({ [CLIENT_PROVIDER]: ADDRESS });
  const protocol = {
    ...httpProtocol,
    conversation: conversationOf,
    compose: (draft: ReplyDraft) => ({
      contentType: "application/json",
      body: bytesOf(JSON.stringify({ events: composed(draft) })),
    }),
    composesToolCalls: true as const,
  };
  return {
    ...table,
    protocolFor(call) {
      const found = table.protocolFor(call);
      return found && { provider: found.provider, protocol };
    },
  };
}

function conversationOf({ body }: ProtocolRequest): Conversation {
  const asked = fieldsOf(body.kind === "json" ? plainJson(body.tree) : undefined);
  return { messages: listOf(asked["messages"]).filter(isFields).map(readMessage), settings: [] };
}

/** Only what is said as text: nothing else of a message is looked at. */
function readMessage({ role, parts }: Fields): ConversationMessage {
  const texts = listOf(parts).flatMap((part) => {
    const { type, text } = fieldsOf(part);
    return type === "text" && typeof text === "string" ? [{ type, text } as const] : [];
  });
  return { role: stringIn(role) ?? "", parts: texts };
}

/** What an engine answered, as the events that were recorded or made. @throws ChatError for a miss or a failure */
export async function* eventsOf(answer: Answer): AsyncGenerator<StreamEvent, void, undefined> {
  const { body, status } = answer.reply;
  const decoder = new TextDecoder();
  const chunks = body instanceof Uint8Array ? [body] : body;
  if (status !== 200) throw failure(await decodeChunks(chunks), status, answer.outcome);
  let rest = "";
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    for (const line of text.slice(0, end).split("\n")) yield* eventsIn(line, answer.entry);
  }
  yield* eventsIn(rest, answer.entry);
}

/** The event of a line; the default reply has all of its events in one. */
function eventsIn(line: string, entry = "the reply"): readonly StreamEvent[] {
  if (line.trim() === "") return [];
  const read = jsonIn(line);
  const { events: all } = fieldsOf(read);
  const events: readonly unknown[] = Array.isArray(all) ? all : [read];
  if (events.every(isEvent)) return events;
  throw invalid(entry, "a line of it is no event", "Correct the recording, or make it again.");
}

/** What kinds of events there are is the merger's to say. */
const isEvent = (value: unknown): value is StreamEvent => isText(fieldsOf(value)["type"]);

async function decodeChunks(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function failure(body: string, status: number, outcome: Outcome): Error {
  const message = stringIn(fieldsOf(fieldsOf(jsonIn(body))["error"])["message"]) ?? body;
  return chatError(outcome === "miss" ? "not-recorded" : "unknown", message, { status });
}
