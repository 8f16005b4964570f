import { describe, expect, it } from "vitest";
import { computeKey } from "../../../../src/core/match/key/key.ts";
import { type KeyedRequest } from "../../../../src/core/cassette/recorded-request.ts";
import { NAMED_PATTERNS } from "../../../../src/core/match/rules/named-patterns.ts";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import { proposeRules } from "../../../../src/core/match/rules/propose.ts";
import { compileRules } from "../../../../src/core/match/rules/rules.ts";
import { APART, VOLATILE } from "../../../fixtures/volatile-calls.ts";
import { chat, sha256 } from "../requests.ts";

const compile = await loadPatterns();
const everyPattern = compileRules(
  Object.keys(NAMED_PATTERNS).map((replace) => ({ replace })),
  compile,
);

function saying(content: string): KeyedRequest {
  return chat({ model: "gpt-4o", messages: [{ role: "user", content }] });
}

const keyOf = (text: string): string => computeKey(saying(text), sha256, everyPattern);

describe("what changes from run to run", () => {
  it("is found by named patterns that are proposed, in all of the usual calls", () => {
    const missed = VOLATILE.flatMap(([what, before, after]) => {
      const places = proposeRules(saying(before), saying(after), { compile });
      const isSolved = places.every(({ rules }) => rules.some((rule) => "replace" in rule));
      return isSolved && places.length > 0 ? [] : [what];
    });

    expect(missed).toEqual([]);
  });

  it.each(APART)("is not what makes these two calls: %s / %s", (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it("is removed without the words around it", () => {
    const around = VOLATILE.flatMap(([what, text]) =>
      keyOf(`Yes: ${text}`) === keyOf(`No: ${text}`) || keyOf(`${text} yes`) === keyOf(`${text} no`)
        ? [what]
        : [],
    );

    expect(around).toEqual([]);
    expect(keyOf("worker (pid 4711)")).not.toBe(keyOf("worker (ppid 4711)"));
    expect(keyOf("on localhost:41234")).not.toBe(keyOf("on 127.0.0.1:41234"));
  });

  it("still matches results with their calls", () => {
    const ids = ["call_9pw1qnYScqvGrCH58HWCvFH6", "call_aBcDeFgHiJkLmNoPqRsTuVw1"];
    const others = ["call_zzzzqnYScqvGrCH58HWCvFH6", "call_yyyyeFgHiJkLmNoPqRsTuVw1"];
    const key = ([one, other]: readonly string[], [first, second]: readonly string[]): string =>
      keyOf(`${one} Oslo, ${other} Rome; ${first} rain, ${second} sun`);

    expect(key(ids, ids)).toBe(key(others, others));
    expect(key(ids, ids)).not.toBe(key(ids, ids.toReversed()));
  });
});
