import type { Message as WireMessage } from "../../core/protocol/protocol.ts";
import { protocolRequest } from "../../core/source/composed.ts";
import type { Exchange } from "../../core/source/source.ts";
import type { Message, Part, Role } from "../message.ts";
import type { ChatRequest } from "../request.ts";

/** A call of any provider as a request to a client of the core: what was said in it, and what tools gave. */
export function chatRequestOf(exchange: Exchange): ChatRequest {
  const { messages } = exchange.protocol.conversation(protocolRequest(exchange));
  const said = messages.map(readMessage).filter(({ parts }) => parts.length > 0);
  // What is no conversation (texts to embed, a file) is still about something.
  const label: Message = { role: "user", parts: [{ type: "text", text: exchange.facts.label }] };
  return { messages: said.length > 0 ? said : [label], signal: exchange.call.signal };
}

const ROLES: ReadonlyMap<string, Role> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
]);

function readMessage({ role: named, parts }: WireMessage): Message {
  const results = parts.flatMap((part): Part[] =>
    part.type === "tool-result"
      ? [{ type: "tool-result", callId: part.id ?? "call", content: part.text }]
      : [],
  );
  if (results.length > 0) return { role: "tool", parts: results };
  const role = ROLES.get(named) ?? "user";
  return { role, parts: parts.flatMap((part) => partOf(part, role)) };
}

function partOf(part: WireMessage["parts"][number], role: Role): Part[] {
  if (part.type === "text") return [part];
  if (part.type !== "tool-call" || role !== "assistant") return [];
  const { id, name, arguments: args } = part;
  return name === "" ? [] : [{ type: "tool-call", id: id ?? "call", name, arguments: args }];
}
