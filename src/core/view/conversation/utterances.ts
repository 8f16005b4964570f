import { parseJson } from "../../base/json/json-parse.ts";
import { hashText, mix } from "../../match/nearest/features.ts";
import type { ConversationMessage, ConversationPart } from "../../protocol/base/protocol.ts";
import { writeCanonicalJson } from "../../match/key/key.ts";

/** One contribution to a conversation, in a form that is the same for every client and provider. */
export interface Utterance {
  readonly by: string;
  readonly text: string;
  /** Index of the message in which it begins. */
  readonly message: number;
}

/**
 * Returns the utterances in messages, in order. Omits the parts that clients change or drop when they send a message
 * back: thinking, provider-specific notes, and call ids. Joins consecutive texts of the same speaker, because streams
 * and clients split them differently.
 */
export function listUtterances(messages: readonly ConversationMessage[]): readonly Utterance[] {
  const utterances: { by: string; text: string; message: number }[] = [];
  for (const [message, { role, parts }] of messages.entries()) {
    for (const part of parts) {
      const one = utteranceOf(speakerOf(role), part);
      if (one === undefined) continue;
      const last = utterances.at(-1);
      if (part.type === "text" && last?.by === one.by) last.text += one.text;
      else utterances.push({ ...one, message });
    }
  }
  return utterances;
}

export const ASSISTANT = "assistant";
/** Differs from `ASSISTANT`, so that a text before a call is not joined with a text after it. */
const CALL = "assistant calls";

export const isAnswer = ({ by }: Utterance): boolean => by === ASSISTANT || by === CALL;

function utteranceOf(speaker: string, part: ConversationPart): Omit<Utterance, "message"> | undefined {
  if (part.type === "text") {
    const text = part.text.replace(/\s+/gu, "");
    return text === "" ? undefined : { by: speaker, text };
  }
  if (part.type === "tool-call") return { by: CALL, text: `${part.name} ${plainArguments(part.arguments)}` };
  if (part.type === "tool-result") return { by: "tool", text: part.text };
  // An image that a model generated has a different URL when the client sends it back.
  if (part.type !== "media" || speaker === ASSISTANT) return undefined;
  return { by: `${speaker} shows`, text: `${part.media} ${part.url ?? part.description}` };
}

function speakerOf(role: string): string {
  const name = role.toLowerCase();
  if (name === "model" || name === "chatbot" || name === "reply") return ASSISTANT;
  return name === "developer" ? "system" : name;
}

/** Returns arguments as canonical JSON, because clients parse and serialize them again. */
function plainArguments(text: string): string {
  try {
    return writeCanonicalJson(parseJson(text.trim() === "" ? "{}" : text));
  } catch {
    return text;
  }
}

/** A 53-bit hash of the beginning of a conversation. Conversations that begin the same have the same marks. */
export type Mark = number;

/** Returns the mark after each utterance, preceded by the mark of an empty conversation. */
export function createMarks(utterances: readonly Utterance[]): readonly Mark[] {
  let [high, low] = [0, 0];
  const marks = [0];
  for (const { by, text } of utterances) {
    const one = `${by}\n${text}`;
    high = mix(high, hashText(one, 1));
    low = mix(low, hashText(one, 2));
    marks.push((high & 0x1f_ffff) * 2 ** 32 + (low >>> 0));
  }
  return marks;
}
