import Anthropic from "@anthropic-ai/sdk";
import type { Ticket } from "./ticket.ts";

/** Summarizes a ticket in one sentence for the next shift. */
export async function summarize(ticket: Ticket): Promise<string> {
  const anthropic = new Anthropic();
  const message = await anthropic.messages.create({
    model: "claude-sonnet-5-5",
    max_tokens: 200,
    system: "Summarize the ticket in one sentence. Keep order and invoice numbers.",
    messages: [{ role: "user", content: `${ticket.subject}. ${ticket.text}` }],
  });
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
