import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { chargedTwice, lateParcel, lockedOut } from "../src/ticket.ts";

describe("classify", () => {
  it("sends a double charge to billing", async () => {
    expect(await classify(chargedTwice)).toBe("billing");
  });

  it("sends a late parcel to shipping", async () => {
    expect(await classify(lateParcel)).toBe("shipping");
  });

  it("sends a lost password to account", async () => {
    expect(await classify(lockedOut)).toBe("account");
  });
});
