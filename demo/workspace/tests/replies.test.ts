import { describe, expect, it } from "vitest";
import { draftReply } from "../src/draft-reply.ts";
import { orderStatus } from "../src/order-status.ts";
import { chargedTwice } from "../src/ticket.ts";

describe("replies", () => {
  it("drafts a reply while the agent reads along", async () => {
    const pieces: string[] = [];

    const reply = await draftReply(chargedTwice, (piece) => pieces.push(piece));

    expect(reply).toContain("Maria");
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join("")).toBe(reply);
  });

  it("looks the order up before it answers", async () => {
    const asked: string[] = [];

    const answer = await orderStatus("Where is my order A-1042?", (orderId) => {
      asked.push(orderId);
      return { status: "shipped", carrier: "DHL", arrives: "on Friday" };
    });

    expect(asked).toEqual(["A-1042"]);
    expect(answer).toMatch(/shipped/i);
  });
});
