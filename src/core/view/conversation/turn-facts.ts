import { localize } from "../../base/localize.ts";
import { jsonIn } from "../../base/lenient.ts";
import type { RecordingView } from "../describe.ts";
import type { ConversationMessage, ConversationPart } from "../../protocol/base/protocol.ts";
import { callLabel, shorten } from "../row.ts";
import { ASSISTANT, isAnswer, marksOf, saidIn, type Mark } from "./said.ts";

/** What is kept of a recording to know which turn of which conversation it is, and to name it. */
export interface TurnFacts {
  /** Of what was asked, a mark after each answer in it, and how many messages lead there; the longest last. */
  readonly begins: readonly Mark[];
  /** The mark of what was asked and answered together; one for each choice. Empty where nothing was answered. */
  readonly ends: readonly Mark[];
  /** What the provider holds: the id that was asked on, and those by which a later call may name this one. */
  readonly after?: string;
  readonly ids: readonly string[];
  /** What was asked, as `callLabel` gives it. */
  readonly asked: string;
  /** What was answered: `look_up_order(A-1042)`, or a text in quotes. */
  readonly answered: string;
  /** Whether what was asked ends with words of the user's, not with what tools gave. */
  readonly endsWithUser: boolean;
}

/** Of a longer conversation the last answers are enough: what a call continues is one of the latest. */
const BEGINS = 64;

export function turnFactsOf(view: RecordingView): TurnFacts {
  const { conversation, projection, thread } = view;
  const said = saidIn(conversation.messages);
  const marks = marksOf(said);
  const begins = marks.filter((_, at) => {
    const [last, next] = [said[at - 1], said[at]];
    return last !== undefined && isAnswer(last) && (next === undefined || !isAnswer(next));
  });
  return {
    begins: begins.slice(-BEGINS),
    ends: choicesOf(view).flatMap((choice) => turnEnd(conversation.messages, choice, marks.at(-1))),
    ...(thread?.after !== undefined && { after: thread.after }),
    ids: thread?.ids ?? [],
    asked: callLabel(view),
    answered: answerLabel(projection.messages),
    endsWithUser: conversation.messages.at(-1)?.role === "user",
  };
}

/** What was answered; where several answers were given, each of them. */
function choicesOf({ projection }: RecordingView): readonly (readonly ConversationMessage[])[] {
  const said = projection.messages.filter(({ role }) => role !== "error");
  return said.every(({ role }) => role === ASSISTANT) ? said.map((one) => [one]) : [said];
}

function turnEnd(
  asked: readonly ConversationMessage[],
  answer: readonly ConversationMessage[],
  before: Mark | undefined,
): readonly Mark[] {
  const end = marksOf(saidIn([...asked, ...answer])).at(-1);
  return end === undefined || end === before ? [] : [end];
}

/**
 * How many of the messages a call shares with the one that it continues. `ends`: that one's. Thinking and the like at
 * the seam belong to what came before.
 */
export function sharedMessages(messages: readonly ConversationMessage[], ends: readonly Mark[]): number {
  const said = saidIn(messages);
  const seam = marksOf(said).findLastIndex((mark) => ends.includes(mark));
  return seam < 0 ? 0 : (said[seam]?.message ?? messages.length);
}

/** What a reply says, on one line: the calls of tools, else its first words, else what it is. */
export function answerLabel(messages: readonly ConversationMessage[]): string {
  const parts = messages.flatMap((message) => message.parts);
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [callText(part)] : []));
  if (calls.length > 0) return shorten(calls.join(", "));
  const text = parts.find((part) => part.type === "text" && part.text.trim() !== "");
  if (text?.type === "text") return `"${shorten(text.text.trim().split(/\r?\n/u, 1)[0] ?? "")}"`;
  const other = parts.find(({ type }) => type === "media" || type === "other");
  return other && "description" in other ? shorten(`[${other.description}]`) : localize("(no response)");
}

/** Names of arguments are left out where their values say enough: `look_up_order(A-1042)`. */
function callText({ name, arguments: given }: Extract<ConversationPart, { type: "tool-call" }>): string {
  return `${name}(${valuesIn(given).join(", ")})`;
}

function valuesIn(json: string): readonly string[] {
  const value = jsonIn(json);
  if (typeof value !== "object" || value === null) return [json];
  return Object.values(value).map((one: unknown) => (typeof one === "string" ? one : JSON.stringify(one)));
}
