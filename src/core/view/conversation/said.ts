import { parseJson } from "../../base/json/json-parse.ts";
import { hashText, mix } from "../../match/nearest/features.ts";
import type { ConversationMessage, ConversationPart } from "../../protocol/base/protocol.ts";
import { canonicalJson } from "../../match/key/key.ts";

/** One thing that somebody says in a conversation, as every client of every provider would send it again. */
export interface Utterance {
  readonly by: string;
  readonly text: string;
  /** The place of the message in which it begins. */
  readonly message: number;
}

/**
 * What messages say, in order. Left out is what clients do not send back as it came: thinking, notes of the provider's
 * own, the ids of calls. Texts of one speaker that follow each other are one: streams and clients cut them otherwise.
 */
export function saidIn(messages: readonly ConversationMessage[]): readonly Utterance[] {
  const said: { by: string; text: string; message: number }[] = [];
  for (const [message, { role, parts }] of messages.entries()) {
    for (const part of parts) {
      const one = saidBy(speakerOf(role), part);
      if (one === undefined) continue;
      const last = said.at(-1);
      if (part.type === "text" && last?.by === one.by) last.text += one.text;
      else said.push({ ...one, message });
    }
  }
  return said;
}

export const ASSISTANT = "assistant";
/** Apart from its words, so that a text before a call is not joined with one after it. */
const CALL = "assistant calls";

export const isAnswer = ({ by }: Utterance): boolean => by === ASSISTANT || by === CALL;

function saidBy(speaker: string, part: ConversationPart): Omit<Utterance, "message"> | undefined {
  if (part.type === "text") {
    const text = part.text.replace(/\s+/gu, "");
    return text === "" ? undefined : { by: speaker, text };
  }
  if (part.type === "tool-call") return { by: CALL, text: `${part.name} ${plainArguments(part.arguments)}` };
  if (part.type === "tool-result") return { by: "tool", text: part.text };
  // A picture that a model made has another address when it is sent back.
  if (part.type !== "media" || speaker === ASSISTANT) return undefined;
  return { by: `${speaker} shows`, text: `${part.media} ${part.url ?? part.description}` };
}

function speakerOf(role: string): string {
  const name = role.toLowerCase();
  if (name === "model" || name === "chatbot" || name === "reply") return ASSISTANT;
  return name === "developer" ? "system" : name;
}

/** Clients parse arguments and write them anew. */
function plainArguments(text: string): string {
  try {
    return canonicalJson(parseJson(text.trim() === "" ? "{}" : text));
  } catch {
    return text;
  }
}

/** A mark of a conversation up to some place: two that say the same have the same one. 53 bits, for finding only. */
export type Mark = number;

/** The marks after each thing that is said, the mark of nothing before them. */
export function marksOf(said: readonly Utterance[]): readonly Mark[] {
  let [high, low] = [0, 0];
  const marks = [0];
  for (const { by, text } of said) {
    const one = `${by}\n${text}`;
    high = mix(high, hashText(one, 1));
    low = mix(low, hashText(one, 2));
    marks.push((high & 0x1f_ffff) * 2 ** 32 + low);
  }
  return marks;
}
