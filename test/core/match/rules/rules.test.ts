import { assert, constantFrom, jsonValue, oneof, property, string, tuple, uuid } from "fast-check";
import { describe, expect, it } from "vitest";
import { computeKey } from "../../../../src/core/match/key/key.ts";
import { type KeyedRequest } from "../../../../src/core/cassette/recorded-request.ts";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import type { NormalizeRule } from "../../../../src/core/call/rule.ts";
import { compileRules } from "../../../../src/core/match/rules/rules.ts";
import { mutationsOf } from "../mutations.ts";
import { chat, sha256, tool } from "../requests.ts";

const compile = await loadPatterns();

function keyUnder(rules: readonly NormalizeRule[]): (request: KeyedRequest) => string {
  const normalize = compileRules(rules, compile);
  return (request) => computeKey(request, sha256, normalize);
}

const BODY = {
  model: "gpt-4o",
  user: "run-7",
  metadata: { run: "0f8fad5b-d9cb-469f-a165-70867728950e", tags: ["a", "b"] },
  messages: [
    { role: "system", content: "Today is 2026-01-02. Work in /tmp/job-17 and be brief." },
    { role: "user", content: "Hello there, what is in 0123456789abcdef0123?" },
  ],
  tools: [tool("get_weather", { city: { type: "string", description: "Where to look" } })],
  temperature: 0.2,
};

describe("rules", () => {
  it.each<readonly [NormalizeRule, (body: typeof BODY) => unknown, string]>([
    [{ ignore: "/metadata/run" }, (body) => (body.metadata.run = "x"), "another value"],
    [{ ignore: "/metadata" }, (body) => Reflect.deleteProperty(body, "metadata"), "none"],
    [{ ignore: "/messages/*/content" }, (body) => body.messages.forEach((one) => (one.content = "?")), "any"],
    [{ ignore: "/*/tags/1" }, (body) => body.metadata.tags.pop(), "an element less"],
    [
      { replace: "$isoDate" },
      (body) => say(body, "Today is 1999-12-31T23:59:59.123Z. Work in /tmp/job-17 and be brief."),
      "a time",
    ],
    [
      { replace: "$tempFolder" },
      (body) => say(body, "Today is 2026-01-02. Work in /var/folders/x1/y2/T/job-18 and be brief."),
      "a folder",
    ],
    [
      { replace: "$uuid", at: "/metadata" },
      (body) => (body.metadata.run = "16FD2706-8BAF-433B-82EB-8C7FADA847DA"),
      "an id",
    ],
    [
      { replace: "$hexId" },
      (body) =>
        (body.messages[1] = { role: "user", content: "Hello there, what is in ffffffffffffffffffffffff?" }),
      "a hash",
    ],
    [{ replace: "run-[0-9]+", with: "<run>" }, (body) => (body.user = "run-12345"), "a run"],
  ])("%j spares its own place", (rule, change) => {
    const changed = structuredClone(BODY);
    change(changed);

    const keyOf = keyUnder([rule]);

    expect(keyOf(chat(changed))).toBe(keyOf(chat(BODY)));
    expect(keyUnder([])(chat(changed))).not.toBe(keyUnder([])(chat(BODY)));
  });

  it("apply in order, each to what the one before left", () => {
    const rules = [
      { replace: "a+", with: "b" },
      { replace: "b+", with: "c" },
    ];

    expect(keyUnder(rules)(chat({ text: "aab" }))).toBe(keyUnder([])(chat({ text: "c" })));
  });

  it("insert a text literally, with any characters, and count positions as JavaScript does", () => {
    const rule = { replace: "x+", with: String.raw`$1 \1 $0` };

    expect(keyUnder([rule])(chat({ text: "😀xx😀x" }))).toBe(
      keyUnder([])(chat({ text: String.raw`😀$1 \1 $0😀$1 \1 $0` })),
    );
  });

  it("leave bodies alone that are not JSON, and other providers and operations", () => {
    const keyOf = keyUnder([{ replace: "a", with: "b", provider: ["openai"], operation: ["responses"] }]);
    const bytes = chat({}, { body: { kind: "bytes", bytes: new TextEncoder().encode("a") } });

    for (const request of [bytes, chat({ a: "a" }), chat({ a: "a" }, { provider: "azure" })])
      expect(keyOf(request)).toBe(keyUnder([])(request));
  });

  it("never take a change outside of their place for the same call", () => {
    const cases: readonly (readonly [NormalizeRule, string])[] = [
      [{ ignore: "/metadata" }, "/metadata"],
      [{ ignore: "/messages/0/content" }, "/messages/0/content"],
      [{ ignore: "/tools/*/function/parameters" }, "/tools/0/function/parameters"],
      [{ replace: "[a-z]+", with: "<word>", at: "/user" }, "/user"],
      [{ replace: ".+", with: "<any>", at: "/messages/1" }, "/messages/1"],
      [{ replace: "$uuid" }, "/metadata/run"],
    ];
    let tried = 0;
    const stale: string[] = [];
    for (const [rule, place] of cases) {
      const keyOf = keyUnder([rule]);
      for (const { what, value } of mutationsOf(BODY, 10_000)) {
        const at = what.slice(what.lastIndexOf(" at /") + 4);
        // A change of the whole or of a parent can be one within the place only.
        if (at.startsWith(place) || place.startsWith(at === "/" ? "/" : `${at}/`)) continue;
        tried += 1;
        if (keyOf(chat(value)) === keyOf(chat(BODY))) stale.push(`${JSON.stringify(rule)}: ${what}`);
      }
    }
    console.log(`▸ ${tried} mutations outside of the place of a rule: ${stale.length} stale hits`);

    expect(stale).toEqual([]);
    expect(tried).toBeGreaterThan(200);
  });

  it("keep requests apart that differ outside of an ignored member, whatever they are", () => {
    const name = constantFrom("a", "b", "c");
    assert(
      property(tuple(jsonValue(), jsonValue(), jsonValue()), name, ([one, another, rest], member) => {
        const keyOf = keyUnder([{ ignore: `/${member}` }]);
        const body = (value: unknown, other: unknown) => chat({ [member]: value, other });

        expect(keyOf(body(one, rest))).toBe(keyOf(body(another, rest)));
        expect(keyOf(body(one, rest)) === keyOf(body(one, another))).toBe(
          keyUnder([])(chat({ rest })) === keyUnder([])(chat({ rest: another })),
        );
      }),
    );
  });

  it("treat any two values of a named pattern as equal, in any text", () => {
    const around = oneof(string(), constantFrom("id: ", " (", ").\n", "“"));
    assert(
      property(around, around, uuid(), uuid(), (before, after, one, another) => {
        const keyOf = keyUnder([{ replace: "$uuid" }]);
        const text = (id: string) => chat({ text: `${before} ${id} ${after}` });

        expect(keyOf(text(one))).toBe(keyOf(text(another)));
      }),
    );
  });

  it("take no longer for a pattern that would ruin a backtracking engine", () => {
    const hostile = `${"a".repeat(30_000)}!`;
    const keyOf = keyUnder([{ replace: "(a+)+$|(?:a|a)*b|(a*)*c", with: "x" }]);

    // Exponential for an engine that tries every way: it would not end within the test's time.
    expect(keyOf(chat({ text: hostile }))).toBe(keyUnder([])(chat({ text: hostile })));
  });

  it.each([
    ["(", "missing"],
    ["a(?=b)", "(?="],
    [String.raw`(a)\1`, String.raw`\1`],
    ["x*", "matches the empty string"],
    ["$uid", "There is no pattern $uid. The named patterns are $uuid"],
    ["a".repeat(3000), "longer than 2000"],
    ["(((a{100}){100}){100}){100}", "cannot be used"],
  ])("refuse the pattern %s", (source, reason) => {
    const explain = (): string => {
      try {
        compile(source);
        return "nothing";
      } catch (error) {
        return error instanceof Error ? `${error.message} ${"hint" in error ? String(error.hint) : ""}` : "";
      }
    };

    expect(explain()).toContain(reason);
  });
});

function say(body: typeof BODY, content: string): void {
  body.messages[0] = { role: "system", content };
}
