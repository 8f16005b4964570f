import OpenAI from "openai";
import type { Ticket } from "./ticket.ts";

export type Category = "billing" | "shipping" | "account" | "other";

/** Returns the team that a ticket belongs to. */
export async function classify(ticket: Ticket): Promise<Category> {
  const openai = new OpenAI();
  const completion = await openai.chat.completions.create({
    model: "gpt-4o-mini",
    temperature: 0,
    messages: [
      {
        role: "system",
        content: "You sort support tickets. Answer with one word: billing, shipping, account or other.",
      },
      { role: "user", content: `${ticket.subject}\n\n${ticket.text}` },
    ],
  });
  return (completion.choices[0]?.message.content ?? "other") as Category;
}
