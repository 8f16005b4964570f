import { expect, it } from "vitest";
import { proposalText } from "../../../src/core/view/rule-text.ts";

it("names by their short keys the recordings that a rule would make one call", () => {
  const entryOf = (digit: string): string => `calls/openai/${digit.repeat(2)}/${digit.repeat(64)}.json`;

  const text = proposalText({
    proposal: {
      rule: { ignore: "/messages/1/content", provider: ["openai"] },
      collision: [entryOf("a"), entryOf("b")],
    },
  });

  expect(text).toBe(
    'No rule is proposed: under {"ignore": "/messages/1/content", "provider": "openai"}, the recordings aaaaaaaa… and bbbbbbbb… would be one call.',
  );
});
