import { describe, expect, it } from "vitest";
import { type TreeFacts, createTreeTexts } from "../../../src/editor/calls-tree/tree-text-model.ts";

const NOTHING: TreeFacts = {
  isEmpty: false,
  failure: undefined,
  filter: undefined,
  reading: { read: 0, total: 0 },
  pending: 0,
  unreached: undefined,
  requests: 0,
};

const texts = (facts: Partial<TreeFacts>) => createTreeTexts({ ...NOTHING, ...facts });

describe("the message above the rows", () => {
  it("is nothing when no row is shown, so that the welcome and its buttons are", () => {
    const unreached = { what: "npm test", setting: "tapedeck.environment.extensions" };

    expect(texts({ isEmpty: true, requests: 38 }).message).toBe("");
    expect(texts({ isEmpty: true, filter: "parcel" }).message).toBe("");
    expect(texts({ isEmpty: true, unreached }).message).toBe("");
  });

  it("is nothing after requests: they are counted beside the title", () => {
    expect(texts({ requests: 1_038 })).toEqual({ description: "1,038 requests", message: "" });
  });

  it("is the filter alone, whatever reached Tapedeck", () => {
    expect(texts({ filter: "parcel 38", requests: 38 })).toEqual({
      description: "filtered",
      message: "Calls with: parcel 38",
    });
  });

  it("shows the progress of a filter", () => {
    const reading = { read: 1_200, total: 20_000 };

    expect(texts({ filter: "parcel", reading }).message).toBe(
      "Calls with: parcel (Reading recordings: 1,200 of 20,000)",
    );
    expect(texts({ filter: "parcel", pending: 1 }).message).toBe(
      "Calls with: parcel (Searching long recordings: 1 file left)",
    );
  });

  it("is why the folder cannot be shown, before all else", () => {
    expect(texts({ isEmpty: true, failure: "It cannot be read.", filter: "parcel" }).message).toBe(
      "It cannot be read.",
    );
  });
});
