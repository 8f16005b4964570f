import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { NAMED_PATTERNS } from "../../../../src/core/match/rules/named-patterns.ts";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import { casesOf } from "../../../support/cases.ts";
import { seeded } from "../../../support/seeded.ts";

const compile = await loadPatterns();

/** Volatile values and their neighbors. Lines made of them, whole or cut anywhere, could let a pattern match across a boundary. */
const PIECES = [
  "9f0c1a2b-1111-4222-8333-123456789abc",
  "2026-11-01T12:30:00Z",
  "Friday, January 2, 2026 at 10:15 AM",
  "today is ",
  "/tmp/pytest-of-root/pytest-17/x",
  "0123456789abcdef0123",
  "timestamp: 1764150000",
  "call_A1b2C3d4E5f6G7h8",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "<object at 0x7f3c2a1b4d90>",
  "http://localhost:40123/v1",
  "pid 4711",
  "3 passed in 0.12s",
  "ok  \tpkg/a\t0.31s",
  "real\t0m1.204s",
  "uptime 123.45",
  "commit 8f14e45",
  "session V1StGXR8z5jdHi6B",
  `user_${"0a".repeat(32)}_account__session_x`,
  "seed: 12345",
  "_",
  " ",
  "\n",
  "\n\n",
  "\r\n",
  ": ",
  "words, and é",
];

/** As a pattern is meant: every match in the whole text, one after the other. */
function everyMatch(source: string, text: string): string {
  const named = NAMED_PATTERNS[source];
  const matcher = RE2JS.compile(named?.source ?? source).matcher(text);
  let [replaced, from] = ["", 0];
  for (let start = 0; matcher.find(start);) {
    const groups = Array.from({ length: named === undefined ? 0 : matcher.groupCount() }, (_, at) => at + 1);
    const group = groups.find((one) => matcher.start(one) >= 0) ?? 0;
    const [begin, end] = [matcher.start(group), matcher.end(group)];
    start = end;
    if (named?.isOne?.(text.slice(begin, end)) === false) continue;
    replaced += `${text.slice(from, begin)}<>`;
    from = end;
  }
  return replaced + text.slice(from);
}

function textsFrom(seed: number): readonly string[] {
  const random = seeded(seed);
  const integer = (below: number): number => Math.floor(random() * below);
  const piece = (): string => {
    const whole = PIECES[integer(PIECES.length)] ?? "";
    return integer(3) > 0 ? whole : whole.slice(integer(whole.length), integer(whole.length + 1));
  };
  return Array.from({ length: casesOf({ quick: 12, long: 1_000 }) }, () =>
    Array.from({ length: 1 + integer(14) }, piece).join(""),
  );
}

describe("a pattern replaces every match in a text of any lines, and nothing else:", () => {
  it.each(Object.keys(NAMED_PATTERNS))("%s", (name) => {
    const texts = [...PIECES, ...textsFrom(17)];

    expect(texts.map((text) => compile(name).replaceIn(text, "<>"))).toEqual(
      texts.map((text) => everyMatch(name, text)),
    );
    expect(texts.some((text) => everyMatch(name, text) !== text)).toBe(true);
  });

  it.each([
    ["a line break", "\\d\\n"],
    ["a space, which a line break is too", "\\w\\s\\w"],
    ["whatever is no digit", "\\d\\D\\w"],
    ["whatever is no word", "\\W+"],
    ["a class with spaces", "[\\s,]+\\w"],
    ["a negated class", "\\w[^x]\\w"],
    ["a class of neither spaces nor all else", "[^\\S\\s]|[^\\S ]+"],
    ["a class by name", "\\w[[:space:]]+\\w"],
    ["a class from tab on", "\\d[\t-~]"],
    ["a code", "\\x0a\\w"],
    ["a property", "\\pZ|\\pC+"],
    ["the beginning of the text", "^\\w+"],
    ["the end of the text", "\\w+$"],
    ["the beginning of each line", "(?m)^\\w"],
    ["the same at one place", "(?m:^)\\w|\\d\\d"],
    ["dots that stand for anything", "(?s)a.*b"],
    ["literal text", "\\Qa\n\\E\\w"],
    ["letters, digits and edges alone", "\\b[0-9a-z]{3,}\\b|(?i:OK|pid)"],
    ["anything on a line", "a.*b"],
    ["a class without line breaks", "\\d[^\\n]+\\d|,[^\\s]"],
  ])("%s", (_, source) => {
    const texts = [...textsFrom(23), "a\nb", "1\n2", "x\n\ny", "ab\nab 12\n34"];

    expect(texts.map((text) => compile(source).replaceIn(text, "<>"))).toEqual(
      texts.map((text) => everyMatch(source, text)),
    );
    expect(texts.some((text) => everyMatch(source, text) !== text)).toBe(true);
  });
});
