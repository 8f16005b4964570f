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
  tryParsePlainJson,
  type Fields,
  readFields,
  isText,
  readList,
  readString,
} from "../../core/base/lenient.ts";
import { createProviders, type ProviderTable } from "../../core/protocol/registry.ts";
import { encodeUtf8 } from "../../core/base/wire/text.ts";
import { chatError, invalid } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";

/** Provider name of clients' recordings. */
export const CLIENT_PROVIDER = "client";
const ADDRESS = "https://client.tapedeck.invalid";

/**
 * Makes the provider table for calls of clients. They are plain HTTP, so that all readers of recordings support them. In
 * addition, their messages are read for scripts and the echo, and a composed text becomes events.
 */
export function createClientProviders(
  composed: (draft: ReplyDraft) => readonly StreamEvent[],
): ProviderTable {
  const table = createProviders({ [CLIENT_PROVIDER]: ADDRESS });
  const protocol = {
    ...httpProtocol,
    conversation: conversationOf,
    compose: (draft: ReplyDraft) => ({
      contentType: "application/json",
      body: encodeUtf8(JSON.stringify({ events: composed(draft) })),
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
  const { messages } = readFields(body.kind === "json" ? plainJson(body.tree) : undefined);
  return { messages: readList(messages).filter(isFields).map(readMessage), settings: [] };
}

/** Reads the texts of a message. */
function readMessage({ role, parts }: Fields): ConversationMessage {
  const texts = readList(parts).flatMap((part) => {
    const { type, text } = readFields(part);
    return type === "text" && typeof text === "string" ? [{ type, text } as const] : [];
  });
  return { role: readString(role) ?? "", parts: texts };
}

/** Reads the recorded or composed events of an engine's answer. @throws ChatError for a miss or a failure */
export async function* streamAnswerEvents(answer: Answer): AsyncGenerator<StreamEvent, void, undefined> {
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

/** Reads the event of a line. The default reply has all events in one line. */
function eventsIn(line: string, entry = "the reply"): readonly StreamEvent[] {
  if (line.trim() === "") return [];
  const read = tryParsePlainJson(line);
  const { events: all } = readFields(read);
  const events: readonly unknown[] = Array.isArray(all) ? all : [read];
  if (events.every(isEvent)) return events;
  throw invalid(entry, "a line is not an event", "Correct the recording, or record it again.");
}

/** Whether a value looks like an event. The merger checks the type. */
const isEvent = (value: unknown): value is StreamEvent => isText(readFields(value)["type"]);

async function decodeChunks(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function failure(body: string, status: number, outcome: Outcome): Error {
  const message = readString(readFields(readFields(tryParsePlainJson(body))["error"])["message"]) ?? body;
  return chatError(outcome === "miss" ? "not-recorded" : "unknown", message, { status });
}
