import { expect, it } from "vitest";
import { collidingPairs, type Said } from "../../../../src/core/match/rules/colliding-pairs.ts";

/** As under a rule that leaves the case of letters out; "-" cannot be read. */
const looked: string[] = [];
function saidBy(word: string): Said<string> | undefined {
  looked.push(word);
  return word === "-" ? undefined : { now: word, after: word.toLowerCase() };
}

it("those that differ without a rule and not with it are paired with the first of them", () => {
  const pairs = [...collidingPairs(["a", "b", "-", "A", "c", "B", "a", "-", "A"], saidBy)];

  expect(pairs).toEqual([
    ["a", "A"],
    ["b", "B"],
    ["a", "A"],
  ]);
});

it("what is the same without the rule is no pair", () => {
  expect([...collidingPairs(["A", "A", "-", "-"], saidBy)]).toEqual([]);
});

it("no more is looked at than is asked for", () => {
  looked.length = 0;

  const [first] = collidingPairs(["a", "A", "b", "B"], saidBy);

  expect(first).toEqual(["a", "A"]);
  expect(looked).toEqual(["a", "A"]);
});
