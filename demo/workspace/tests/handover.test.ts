import { describe, expect, it } from "vitest";
import { summarize } from "../src/summarize.ts";
import { chargedTwice } from "../src/ticket.ts";
import { translate } from "../src/translate.ts";

describe("handover", () => {
  it("summarizes a ticket in one sentence", async () => {
    const summary = await summarize(chargedTwice);

    expect(summary).toMatch(/charged twice/i);
    expect(summary.length).toBeLessThan(200);
  });

  it("translates a reply", async () => {
    const german = await translate("Thank you for your patience. Your order is on its way.", "German");

    expect(german).toMatch(/Bestellung/);
  });
});
