import { describe, expect, it } from "vitest";
import { matchExcerpt } from "../../../src/editor/call-commands/match-excerpt-model.ts";

const TEXT =
  "may i send the lamp back?\nyes, you can return it within thirty days of delivery as long as it was not used outside, and we pay the postage.";

describe("the part of a recording that has what was typed", () => {
  it("is cut at words, on one line, with the word in it", () => {
    expect(matchExcerpt(["thirty"], { shown: "may i send the lamp back?", text: TEXT })).toBe(
      "…you can return it within thirty days of delivery as long as it was not used outside, and…",
    );
  });

  it("is that of the first word that the row does not show", () => {
    const excerpt = matchExcerpt(["lamp", "postage"], { shown: "the lamp", text: TEXT });

    expect(excerpt).toMatch(/^….* postage\.$/u);
  });

  it("is not there where the row shows all words, or the kept text does not have them", () => {
    expect(matchExcerpt(["lamp"], { shown: "the lamp", text: TEXT })).toBeUndefined();
    expect(matchExcerpt(["zebra"], { shown: "the lamp", text: TEXT })).toBeUndefined();
    expect(matchExcerpt([], { shown: "", text: TEXT })).toBeUndefined();
  });

  it("tears a text without blanks, which has no better place", () => {
    expect(matchExcerpt(["b"], { shown: "", text: `${"a".repeat(100)}b${"c".repeat(100)}` })).toBe(
      `…${"a".repeat(30)}b${"c".repeat(60)}…`,
    );
  });
});
