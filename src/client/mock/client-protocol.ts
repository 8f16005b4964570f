import { httpProtocol } from "../../core/protocol/http.ts";
import type { Conversation, Message, ProtocolRequest } from "../../core/protocol/protocol.ts";
import { createProviders, type ProviderTable } from "../../core/protocol/registry.ts";
import { bytesOf } from "../../core/wire/text.ts";
import { plainJson } from "../../core/json/json-write.ts";
import { isObject } from "../json/plain.ts";
import type { StreamEvent } from "../part-stream.ts";

/** The name under which the recordings of clients lie. */
export const CLIENT_PROVIDER = "client";
const ADDRESS = "https://client.tapedeck.invalid";

/**
 * The calls of clients as an engine reads them. They are plain HTTP, so that every reader of recordings knows them;
 * beyond that their messages are read, for scripts and the echo, and a text that no provider made becomes events.
 */
export function clientProviders(eventsOf: (text: string) => readonly StreamEvent[]): ProviderTable {
  const table = createProviders({ [CLIENT_PROVIDER]: ADDRESS });
  const protocol = {
    ...httpProtocol,
    conversation: conversationOf,
    compose: ({ text }: { readonly text: string }) => ({
      contentType: "application/json",
      body: bytesOf(JSON.stringify({ events: eventsOf(text) })),
    }),
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
  const asked: unknown = body.kind === "json" ? plainJson(body.tree) : undefined;
  const messages = isObject(asked) && Array.isArray(asked["messages"]) ? asked["messages"] : [];
  return { messages: messages.filter(isObject).map(messageOf), settings: [] };
}

/** Only what is said as text: nothing else of a message is looked at. */
function messageOf({ role, parts }: Readonly<Record<string, unknown>>): Message {
  const texts = (Array.isArray(parts) ? parts : []).filter(isObject).flatMap((part) => {
    const { type, text } = part;
    return type === "text" && typeof text === "string" ? [{ type, text } as const] : [];
  });
  return { role: typeof role === "string" ? role : "", parts: texts };
}
