import Anthropic from "@anthropic-ai/sdk";

/** Translates a reply for the customer, streamed. */
export async function translate(text: string, language: string): Promise<string> {
  const anthropic = new Anthropic();
  const stream = anthropic.messages.stream({
    model: "claude-sonnet-5-5",
    max_tokens: 400,
    system: `Translate into ${language}. Answer with the translation only.`,
    messages: [{ role: "user", content: text }],
  });
  return stream.finalText();
}
