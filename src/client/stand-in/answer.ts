import { readProtocolRequest } from "../../core/match/read-request.ts";
import type { Answer, WireHeaders, WireReply } from "../../core/call/call.ts";
import { createTapedeckError } from "../../core/base/errors.ts";
import { createComposedAnswer, createMadeUpAnswer } from "../../core/answer/source/composed.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { isChatError, type ChatError } from "../errors.ts";
import type { ConversationMessage as WireMessage, ReplyDraft } from "../../core/protocol/base/protocol.ts";
import type { Message, Part, Role } from "../message.ts";
import type { ChatRequest } from "../request.ts";

/** Makes the content of a reply. @throws ChatError for a failure of the provider, or for input that the mock cannot read */
export type Mock = (exchange: Exchange) => ReplyDraft | Promise<ReplyDraft>;

/** Answers a call with a mock, in the provider's format. `by` names the mock. */
export async function createMockAnswer(mock: Mock, exchange: Exchange, by: string): Promise<Answer> {
  try {
    return createComposedAnswer(await mock(exchange), exchange, by);
  } catch (error) {
    if (!isChatError(error)) throw error;
    const { status, message, retryAfterMs } = error;
    if (status !== undefined) {
      const { waits, ...reply } = createFailedReply(exchange, { status, message, retryAfterMs });
      return createMadeUpAnswer(reply, waits, by);
    }
    throw createTapedeckError(
      "tapedeck_usage",
      `The mock cannot answer this call: ${message.replace(/[^.]$/, "$&.")}`,
      { hint: error.hint ?? "Correct the mock's input; docs/mocks.md describes it." },
    );
  }
}

/** A simulated failure in the provider's format. */
interface FailedReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Retry headers, if the failure has a delay. */
  readonly waits: WireHeaders;
}

interface Failure extends Pick<ChatError, "message"> {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

export function createFailedReply(
  { provider }: Exchange,
  { status, message, retryAfterMs }: Failure,
): FailedReply {
  const { body } = provider.dialect.fail(status, message);
  return {
    status,
    contentType: "application/json",
    body: body instanceof Uint8Array ? body : new Uint8Array(),
    waits: retryAfterMs === undefined ? [] : [["retry-after", String(retryAfterMs / 1_000)]],
  };
}

export function createFailedWire({ status, contentType, body, waits }: FailedReply): WireReply {
  return { status, headers: [["content-type", contentType], ...waits], body };
}

/** Converts a call of any provider to a request: its texts, tool calls, and tool results. */
export function readChatRequest(exchange: Exchange): ChatRequest {
  const { messages } = exchange.protocol.conversation(readProtocolRequest(exchange));
  const known = messages.map(readMessage).filter(({ parts }) => parts.length > 0);
  // A call without a conversation (texts to embed, a file) is represented by its label.
  const label: Message = { role: "user", parts: [{ type: "text", text: exchange.facts.label }] };
  return { messages: known.length > 0 ? known : [label], signal: exchange.call.signal };
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
