import OpenAI from "openai";
import type { Ticket } from "./ticket.ts";

/** Drafts a reply and passes each piece on as it arrives, so that a support agent can read along. */
export async function draftReply(ticket: Ticket, onPiece: (piece: string) => void): Promise<string> {
  const openai = new OpenAI();
  const stream = await openai.chat.completions.create({
    model: "gpt-4o-mini",
    temperature: 0.3,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "You draft a reply to the customer: friendly, short, by first name." },
      { role: "user", content: ticket.text },
    ],
  });
  let reply = "";
  for await (const chunk of stream) {
    const piece = chunk.choices[0]?.delta.content ?? "";
    if (piece) onPiece(piece);
    reply += piece;
  }
  return reply;
}
