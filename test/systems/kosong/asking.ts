import { message, type ChatProvider } from "../../../src/systems/kosong/index.ts";

type Prompt = Parameters<ChatProvider["generate"]>[0];

/** A prompt with one text of the user's. */
export const asking = (content: string, more: Partial<Prompt> = {}): Prompt => ({
  systemPrompt: "",
  tools: [],
  history: [message({ role: "user", content })],
  ...more,
});

/** All parts that a provider's answer is made of. */
export async function partsOf(answer: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const parts: unknown[] = [];
  for await (const part of answer) parts.push(part);
  return parts;
}
