import { expectClient, expectList, expectObject } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { invalid } from "../errors.ts";
import type { Message, Part } from "../message.ts";
import type { ChatRequest } from "../request.ts";
import { wrapClient } from "./wrap-client.ts";

export interface RetentionOptions {
  /** Number of the last tool results to keep; -1 keeps all, 0 none. */
  readonly keep: number;
  /** Whether a message is a tool result. Default: messages of the user and of tools; the first one is the task. */
  readonly isResult?: (message: Message, index: number) => boolean;
  /** What to remove from older results: their content, or the results and their calls. Default "contents". */
  readonly drop?: "contents" | "pairs";
}

/** Text that replaces a result. */
export const OMITTED = "Tool result is omitted to save tokens.";

/**
 * Omits older tool results from requests. The caller's history is not changed.
 * @throws ChatError "validation" for a count below -1 or a fraction
 */
export function withRetention(inner: ChatClient, options: RetentionOptions): ChatClient {
  expectClient(inner);
  expectObject(options, "options");
  checkKeep(options.keep);
  const keepLast = (request: ChatRequest): ChatRequest => ({
    ...request,
    messages: retained(request.messages, options),
  });
  return wrapClient(inner, {
    complete: (request) => inner.complete(keepLast(request)),
    stream: (request) => inner.stream(keepLast(request)),
  });
}

/** Returns copies of the messages with only the last results. The first result, the task, is always kept. */
export function retained(messages: readonly Message[], options: RetentionOptions): readonly Message[] {
  expectList(messages, "messages");
  expectObject(options, "options");
  const { keep, drop, isResult = ({ role }) => role === "user" || role === "tool" } = options;
  checkKeep(keep);
  const results = messages.flatMap((message, index) => (isResult(message, index) ? [index] : []));
  const rest = results.slice(1);
  if (keep === -1) return [...messages];
  const left = new Set(rest.filter((_, at) => at + keep < rest.length));
  return drop === "pairs"
    ? withoutPairs(messages, left)
    : messages.map((message, index) => (left.has(index) ? emptyMessage(message) : message));
}

function checkKeep(keep: number): void {
  if (!Number.isSafeInteger(keep) || keep < -1)
    throw invalid("keep", `-1 for all, or a whole number from 0 on is expected, got ${keep}`);
}

/** Replaces the results and texts of a message by a note. Results keep their IDs. */
function emptyMessage(message: Message): Message {
  const results = message.parts.filter((part) => part.type === "tool-result");
  const parts: readonly Part[] =
    results.length > 0
      ? results.map((part) => ({ ...part, content: OMITTED }))
      : [{ type: "text", text: OMITTED }];
  return { ...message, parts };
}

/** Removes results together with their calls. */
function withoutPairs(messages: readonly Message[], left: ReadonlySet<number>): readonly Message[] {
  const dropped = messages.filter((_, index) => left.has(index));
  const ids = new Set(dropped.flatMap(({ parts }) => parts.flatMap(idOfResult)));
  return messages.flatMap((message, index) => {
    if (left.has(index)) return [];
    const parts = message.parts.filter((part) => part.type !== "tool-call" || !ids.has(part.id));
    if (parts.length === message.parts.length) return [message];
    // Also removes a message with only thoughts left.
    return parts.some(({ type }) => type !== "thinking") ? [{ ...message, parts }] : [];
  });
}

const idOfResult = (part: Part): readonly string[] => (part.type === "tool-result" ? [part.callId] : []);
