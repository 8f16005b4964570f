import type { SpelledCredential } from "../cassette/find-credentials.ts";
import { fieldsOf, isText, jsonIn } from "../protocol/reading/lenient.ts";
import { visibleLine } from "../view/visible.ts";

/** Longer bodies are pages for people, not messages. */
export const REFUSAL_BYTES = 64 * 1024;
const MAX_CHARACTERS = 200;

/**
 * The message of a provider's error, on one line; "" where there is none. Providers repeat a key that they refuse, so a
 * credential of the call is left out in all its spellings.
 */
export function refusalWords(body: Uint8Array, credentials: readonly SpelledCredential[]): string {
  const message = messageIn(jsonIn(new TextDecoder().decode(body)));
  if (message === undefined) return "";
  const spellings = credentials.flatMap((credential) => credential.spellings);
  const bare = spellings
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, spelling) => text.replaceAll(spelling, "[key]"), message);
  const line = visibleLine(bare)
    .trim()
    .replace(/[.!]+$/u, "");
  const characters = Array.from(line);
  return characters.length <= MAX_CHARACTERS ? line : `${characters.slice(0, MAX_CHARACTERS).join("")}…`;
}

/** Source: OpenAI, Anthropic, Google, Mistral and Cohere name it `error.message`, `error`, `message` or `detail`. */
function messageIn(body: unknown): string | undefined {
  const { error, message, detail } = fieldsOf(Array.isArray(body) ? body[0] : body);
  return [fieldsOf(error)["message"], error, message, detail].find(isText);
}
