import { expect, test } from "vitest";
import { createCacheMiss, isCacheMiss } from "../../../src/systems/metagpt/miss.ts";

const missOf = (key: string, known: readonly string[]) =>
  createCacheMiss({ key, method: "aask", cacheFile: "cache.json", known });

/** A key that is missed, and the known keys. */
const NEAREST: Readonly<Record<string, readonly [key: string, ...known: readonly string[]]>> = {
  "nothing is known": ["gpt: hello"],
  "it shares no more than a fifth": ["ab12345678", "abvwxyzvwx"],
  "it shares more than a fifth": ["abc2345678", "abcvwxyzvw"],
  "it shares its end": ["1234567xyz", "vwxvwxvxyz"],
  "one ends where the other goes on": ["say hi", "say hi there"],
  "the other ends first": ["say hi there", "say hi"],
  "words count in any order and case": ["Rome Paris Oslo Bern", "zz bern OSLO paris rome"],
  "text at its beginning is not counted again at its end": ["abab", "ababab", "ababx"],
  "the best three come first": ["aaaaaaaaaa", "aaabbbbbbb", "aaaaabbbbb", "aaaaaaabbb", "aaaabbbbbb"],
  "a common beginning and end counts once": ["abab", "ababab", "abxx"],
  "a difference has at most thirty whole characters": [`ask: ${"x".repeat(31)}`, `ask: ${"😀".repeat(31)}`],
};

test("the nearest known keys are named with their differences, as the page beside this test has it", async () => {
  const page = Object.entries(NEAREST).flatMap(([what, [key, ...known]]) => [
    what,
    ...missOf(key, known).nearest.map((near) => `  ${near.key}: ${near.difference}`),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("nearest-keys.txt");
});

test("a miss has a hint, is distinct from other failures, and is not retried", () => {
  const [none, one] = [missOf("k", []), missOf("say hi", ["say ho", "say"])];
  const what =
    "Allow live calls once (ALLOW_OPENAI_API_CALL=1) and let the test pass, and the answer is written to cache.json.";

  expect(none).toMatchObject({
    kind: "not-recorded",
    retryable: false,
    key: "k",
    method: "aask",
    cacheFile: "cache.json",
  });
  expect(none.message).toBe(
    "In current test setting, api call is not allowed, you should properly mock your tests, or add expected api response in cache.json. ",
  );
  expect(none.hint).toBe(`Nothing is recorded yet. ${what}`);
  expect(one.hint).toBe(`The nearest known key differs from character 6 on: "o" there, "i" here. ${what}`);
  expect([none, one].every(isCacheMiss)).toBe(true);
  expect([null, "miss", {}, { cacheFile: "" }, { nearest: [] }].some(isCacheMiss)).toBe(false);
});
