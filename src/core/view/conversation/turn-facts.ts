import { localize } from "../../base/localize.ts";
import { tryParsePlainJson } from "../../base/lenient.ts";
import type { RecordingView } from "../describe.ts";
import type { ConversationMessage, ConversationPart } from "../../protocol/base/protocol.ts";
import { labelCall, shorten } from "../row.ts";
import { ASSISTANT, isAnswer, createMarks, listUtterances, type Mark } from "./utterances.ts";

/** The facts of a recording that determine its turn in a conversation and its label. */
export interface TurnFacts {
  /** A mark after each response in the request's messages, the longest beginning last; at most `BEGINS`. */
  readonly begins: readonly Mark[];
  /** The mark of the request with its response, one for each choice. Empty if there was no response. */
  readonly ends: readonly Mark[];
  /** The id of the previous turn, if the provider stores the conversation. */
  readonly after?: string;
  /** The ids with which a later call can refer to this one. */
  readonly ids: readonly string[];
  /** The request's label, as `labelCall` returns it. */
  readonly asked: string;
  /** The response's label: `look_up_order(A-1042)`, or a text in quotes. */
  readonly answered: string;
  /** Whether the request ends with a message of the user, not with a tool result. */
  readonly endsWithUser: boolean;
}

/** Maximum number of marks. The last ones are enough, because a call continues one of the latest turns. */
const BEGINS = 64;

export function readTurnFacts(view: RecordingView): TurnFacts {
  const { conversation, projection, thread } = view;
  const utterances = listUtterances(conversation.messages);
  const marks = createMarks(utterances);
  const begins = marks.filter((_, at) => {
    const [last, next] = [utterances[at - 1], utterances[at]];
    return last !== undefined && isAnswer(last) && (next === undefined || !isAnswer(next));
  });
  return {
    begins: begins.slice(-BEGINS),
    ends: choicesOf(view).flatMap((choice) => turnEnd(conversation.messages, choice, marks.at(-1))),
    ...(thread?.after !== undefined && { after: thread.after }),
    ids: thread?.ids ?? [],
    asked: labelCall(view),
    answered: labelAnswer(projection.messages),
    endsWithUser: conversation.messages.at(-1)?.role === "user",
  };
}

/** Returns the choices of a response, each as a list of messages. */
function choicesOf({ projection }: RecordingView): readonly (readonly ConversationMessage[])[] {
  const messages = projection.messages.filter(({ role }) => role !== "error");
  return messages.every(({ role }) => role === ASSISTANT) ? messages.map((one) => [one]) : [messages];
}

function turnEnd(
  request: readonly ConversationMessage[],
  answer: readonly ConversationMessage[],
  before: Mark | undefined,
): readonly Mark[] {
  const end = createMarks(listUtterances([...request, ...answer])).at(-1);
  return end === undefined || end === before ? [] : [end];
}

/**
 * Returns the number of messages that a call shares with the call that it continues, whose marks are `ends`. Thinking
 * and other omitted parts between the two count as shared.
 */
export function countSharedMessages(messages: readonly ConversationMessage[], ends: readonly Mark[]): number {
  const utterances = listUtterances(messages);
  const seam = createMarks(utterances).findLastIndex((mark) => ends.includes(mark));
  return seam < 0 ? 0 : (utterances[seam]?.message ?? messages.length);
}

/** Returns a reply on one line: its tool calls, or its first words, or a description of its content. */
export function labelAnswer(messages: readonly ConversationMessage[]): string {
  // A session has transcripts of its user's audio among the replies.
  const parts = messages.filter(({ role }) => role !== "user").flatMap((message) => message.parts);
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [callText(part)] : []));
  if (calls.length > 0) return shorten(calls.join(", "));
  const text = parts.find((part) => part.type === "text" && part.text.trim() !== "");
  if (text?.type === "text") return `"${shorten(text.text.trim().split(/\r?\n/u, 1)[0] ?? "")}"`;
  const other = parts.find(({ type }) => type === "media" || type === "other");
  return other && "description" in other ? shorten(`[${other.description}]`) : localize("(no response)");
}

/** Returns a tool call with the values of its arguments only: `look_up_order(A-1042)`. */
function callText({ name, arguments: given }: Extract<ConversationPart, { type: "tool-call" }>): string {
  return `${name}(${valuesIn(given).join(", ")})`;
}

function valuesIn(json: string): readonly string[] {
  const value = tryParsePlainJson(json);
  if (typeof value !== "object" || value === null) return [json];
  return Object.values(value).map((one: unknown) => (typeof one === "string" ? one : JSON.stringify(one)));
}
