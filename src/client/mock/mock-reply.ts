import { isFields } from "../../core/base/lenient.ts";
import { checkMessage } from "../check-request.ts";
import { invalid } from "../errors.ts";
import { copyFrozen, showValue } from "../json/plain.ts";
import { replyEvents } from "../merge-pieces.ts";
import { type Message, type Part, textOf, toolCallsOf } from "../message.ts";
import {
  type ChatReply,
  type FinishReason,
  type StreamEvent,
  type Usage,
  usage as usageOf,
  inputTokens,
} from "../reply.ts";
import type { ReplyDraft } from "../../core/protocol/base/protocol.ts";

/** The answer of a mock. ID, model, and usage default to those of the mock. */
export interface MockAnswer {
  readonly content?: string | Part | readonly Part[];
  /** Default: "tool-calls" if the content has tool calls, otherwise "stop". */
  readonly finishReason?: FinishReason;
  /** Missing counts are 0; null for an answer without usage. */
  readonly usage?: Partial<Usage> | null;
  readonly id?: string;
  readonly model?: string;
}

/**
 * A reply of a mock: a text, parts, a whole answer, the events of a stream, a `ChatReply` of another client, or the error
 * of the call.
 */
export type MockReply =
  | string
  | Part
  | readonly Part[]
  | MockAnswer
  | ChatReply
  | { readonly events: readonly StreamEvent[] }
  | Error;

interface MockDefaults {
  readonly id: string;
  readonly model: string;
  readonly usage: Partial<Usage> | undefined;
}

/** Makes the events of a reply. @throws the error of the reply, or ChatError "validation" for an invalid reply */
export function mockEvents(reply: MockReply, defaults: MockDefaults): readonly StreamEvent[] {
  if (reply instanceof Error) throw reply;
  const given: unknown = reply;
  if (isFields(given) && Array.isArray(given["events"])) return copyFrozen(given["events"]);
  return replyEvents(
    isFields(reply) && isReply(reply) ? copyFrozen(reply) : replyOf(answerOf(reply), defaults),
  );
}

/** Whether a reply is a whole `ChatReply`. */
function isReply(reply: MockReply): reply is ChatReply {
  return typeof reply === "object" && "message" in reply && "finishReason" in reply;
}

function answerOf(reply: Exclude<MockReply, ChatReply | Error>): MockAnswer {
  if (typeof reply === "string" || Array.isArray(reply)) return { content: reply };
  const given: unknown = reply;
  if (!isFields(given))
    throw invalid("reply", `a text, parts or an answer is expected, got ${showValue(given)}`);
  return "type" in reply ? { content: reply } : given;
}

function replyOf(answer: MockAnswer, defaults: MockDefaults): ChatReply {
  const { content = [], id = defaults.id, model = defaults.model, usage = defaults.usage } = answer;
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : [content].flat();
  const message: Message = { role: "assistant", parts };
  if (parts.length > 0) checkMessage(message, "reply");
  const finishReason =
    answer.finishReason ?? (parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop");
  return copyFrozen({ message, finishReason, id, model, ...(usage && { usage: usageOf(usage) }) });
}

/**
 * Pieces of a streamed text: the whole text, words, a fixed number of characters (code points), or 1 to 8 random
 * characters.
 */
export type TextPieces = "whole" | "words" | "random" | { readonly characters: number };

/** Splits a text into pieces; an empty text is one empty piece. */
export function splitText(text: string, pieces: TextPieces, random: () => number): readonly string[] {
  if (pieces === "whole" || text === "") return [text];
  if (pieces === "words") return splitInWords(text);
  const characters = Array.from(text);
  const cut: string[] = [];
  while (characters.length > 0) cut.push(characters.splice(0, lengthOf(pieces, random)).join(""));
  return cut;
}

function lengthOf(pieces: "random" | { readonly characters: number }, random: () => number): number {
  if (pieces === "random") return 1 + Math.floor(random() * 8);
  if (Number.isSafeInteger(pieces.characters) && pieces.characters > 0) return pieces.characters;
  throw invalid("pieces.characters", `a whole number from 1 on is expected, got ${pieces.characters}`);
}

/** Splits a text into words with the white space before them. */
export const splitInWords = (text: string): readonly string[] => text.match(/\s*\S+|\s+/gu) ?? [text];

/** Converts a reply of a client to a draft, which is streamed in words. */
export function createDraft({ message, usage, finishReason }: ChatReply): ReplyDraft {
  const text = textOf(message);
  return {
    text,
    pieces: splitInWords(text),
    toolCalls: toolCallsOf(message),
    ...((finishReason === "length" || finishReason === "content-filter") && { finish: finishReason }),
    ...(usage && { usage: { inputTokens: inputTokens(usage), outputTokens: usage.outputTokens } }),
  };
}
