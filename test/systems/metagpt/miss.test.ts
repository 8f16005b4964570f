import { expect, test } from "vitest";
import { createCacheMiss, isCacheMiss } from "../../../src/systems/metagpt/miss.ts";

const missOf = (key: string, known: readonly string[]) =>
  createCacheMiss({ key, method: "aask", cacheFile: "cache.json", known });

test.each<
  readonly [
    what: string,
    key: string,
    known: readonly string[],
    nearest: readonly (readonly [string, string])[],
  ]
>([
  ["nothing is known", "gpt: hello", [], []],
  ["it shares no more than a fifth", "ab12345678", ["abvwxyzvwx"], []],
  [
    "it shares more than a fifth",
    "abc2345678",
    ["abcvwxyzvw"],
    [["abcvwxyzvw", 'from character 4 on: "vwxyzvw" there, "2345678" here']],
  ],
  [
    "it shares its end",
    "1234567xyz",
    ["vwxvwxvxyz"],
    [["vwxvwxvxyz", 'from character 1 on: "vwxvwxvxyz" there, "1234567xyz" here']],
  ],
  [
    "one ends where the other goes on",
    "say hi",
    ["say hi there"],
    [["say hi there", 'from character 7 on: " there" there, its end here']],
  ],
  [
    "the other ends first",
    "say hi there",
    ["say hi"],
    [["say hi", 'from character 7 on: its end there, " there" here']],
  ],
  [
    "words count in any order and case",
    "Rome Paris Oslo Bern",
    ["zz bern OSLO paris rome"],
    [
      [
        "zz bern OSLO paris rome",
        'from character 1 on: "zz bern OSLO paris rome" there, "Rome Paris Oslo Bern" here',
      ],
    ],
  ],
  [
    "text at its beginning is not counted again at its end",
    "abab",
    ["ababab", "ababx"],
    [
      ["ababx", 'from character 5 on: "x" there, its end here'],
      ["ababab", 'from character 5 on: "ab" there, its end here'],
    ],
  ],
  [
    "the best three come first",
    "aaaaaaaaaa",
    ["aaabbbbbbb", "aaaaabbbbb", "aaaaaaabbb", "aaaabbbbbb"],
    [
      ["aaaaaaabbb", 'from character 8 on: "bbb" there, "aaa" here'],
      ["aaaaabbbbb", 'from character 6 on: "bbbbb" there, "aaaaa" here'],
      ["aaaabbbbbb", 'from character 5 on: "bbbbbb" there, "aaaaaa" here'],
    ],
  ],
  [
    "a common beginning and end counts once",
    "abab",
    ["ababab", "abxx"],
    [
      ["ababab", 'from character 5 on: "ab" there, its end here'],
      ["abxx", 'from character 3 on: "xx" there, "ab" here'],
    ],
  ],
])("the nearest known keys are named: %s", (_, key, known, nearest) => {
  expect(missOf(key, known).nearest.map(({ key: near, difference }) => [near, difference])).toEqual(nearest);
});

test("a difference is cut to thirty whole characters", () => {
  const [near] = missOf(`a question: ${"x".repeat(31)}`, [`a question: ${"😀".repeat(31)}`]).nearest;

  expect(near?.difference).toBe(`from character 13 on: "${"😀".repeat(30)}" there, "${"x".repeat(30)}" here`);
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
  expect([none, one, null, "miss", {}, { cacheFile: "" }, { nearest: [] }].map(isCacheMiss)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
