import { isFields, type Fields } from "../../../core/protocol/reading/lenient.ts";
import { chatError } from "../../errors.ts";
import { jsonTypeOf } from "./tool-choice.ts";

/** @throws ChatError "validation" where the messages are no list of objects with a role and a content. */
export function checkedMessages(messages: unknown): readonly Fields[] {
  if (!Array.isArray(messages))
    throw chatError(
      "validation",
      `OpenAI \`messages\` field expected type \`list\`, got \`${jsonTypeOf(messages)}\` instead.`,
      { where: "messages" },
    );
  return messages.map((message: unknown, index) => {
    if (isFields(message) && "role" in message && "content" in message) return message;
    throw chatError(
      "validation",
      "Each message in the 'messages' list must contain a 'role' and 'content' key for OpenAI API.",
      { where: `messages[${index}]` },
    );
  });
}

/** Messages for omni models, which want base64 audio as a data address; the given ones stay as they are. */
export function withOmniAudio(messages: readonly Fields[]): readonly Fields[] {
  return messages.map((message) => {
    const { content } = message;
    return Array.isArray(content) ? { ...message, content: content.map(omniPart) } : message;
  });
}

function omniPart(part: unknown): unknown {
  if (!isFields(part) || !isFields(part["input_audio"])) return part;
  const { data } = part["input_audio"];
  if (typeof data !== "string" || /^(?:https?:|data:)/.test(data)) return part;
  return { ...part, input_audio: { ...part["input_audio"], data: `data:;base64,${data}` } };
}
