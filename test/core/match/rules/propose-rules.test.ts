import { describe, expect, it } from "vitest";
import { departure } from "../../../../src/core/match/differences/departure.ts";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import { proposeRules } from "../../../../src/core/match/rules/propose-rules.ts";
import { chat } from "../requests.ts";

const compile = await loadPatterns();
const SCOPE = { provider: ["openai"], operation: ["chat.completions"] };

const proposal = (recorded: unknown, asked: unknown, others: readonly unknown[] = []) =>
  proposeRules(chat(recorded), chat(asked), {
    compile,
    others: async () => others.map((body, index) => ({ entry: `entry ${index}`, request: chat(body) })),
  });

const UUIDS = ["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"];

describe("the rules that a miss proposes", () => {
  it.each([
    [
      "a named pattern at the one place",
      { a: `x ${UUIDS[0]}` },
      { a: `x ${UUIDS[1]}` },
      [{ replace: "$uuid", at: "/a" }],
    ],
    [
      "a named pattern wherever it is found, where several places differ",
      { a: "on 2026-01-02", b: ["2026-01-02T03:04:05Z"] },
      { a: "on 2026-02-03", b: ["2026-02-03T04:05:06Z"] },
      [{ replace: "$isoDate" }],
    ],
    [
      "a pattern in any message",
      { messages: [{ content: "a" }, { content: "on 2026-01-02" }] },
      { messages: [{ content: "a" }, { content: "on 2026-02-03" }] },
      [{ replace: "$isoDate", at: "/messages/*/content" }],
    ],
    [
      "several patterns, none without which it would do",
      { a: `on 2026-01-02 in /tmp/a1`, b: UUIDS[0] },
      { a: `on 2026-02-03 in /tmp/b2`, b: UUIDS[1] },
      [{ replace: "$uuid" }, { replace: "$isoDate" }, { replace: "$tempFolder" }],
    ],
    [
      "a pattern and settings left out, the same in every element once",
      { at: "2026-01-02", seed: 1, list: [{ id: "a" }, { id: "b" }] },
      { at: "2026-02-03", seed: 2, list: [{ id: "c" }, { id: "d" }] },
      [{ replace: "$isoDate" }, { ignore: "/seed" }, { ignore: "/list/*/id" }],
    ],
    ["the one place, left out", { a: { t: 0.2 }, b: 1 }, { a: { t: 0.7 }, b: 1 }, [{ ignore: "/a/t" }]],
    ["a member that only one of them has", { b: 1 }, { b: 1, "se~ed/": 7 }, [{ ignore: "/se~0ed~1" }]],
    ["a list that grew", { tools: ["a"] }, { tools: ["a", "b"] }, [{ ignore: "/tools" }]],
  ])("are %s", async (_, recorded, asked, rules) => {
    expect(await proposal(recorded, asked)).toEqual({ rules: rules.map((rule) => ({ ...rule, ...SCOPE })) });
  });

  it("are none where two texts are others, too much differs, or all would be the same", async () => {
    expect(await proposal({ a: "Say hi", b: "Bye now" }, { a: "Say ho", b: "Bye all" })).toBeUndefined();
    expect(await proposal({ a: 1, b: 1, c: 1, d: 1 }, { a: 2, b: 2, c: 2, d: 2 })).toBeUndefined();
    expect(await proposal([1], { a: 1 })).toBeUndefined();
    expect(await proposal({ a: 1 }, { a: 1 })).toBeUndefined();
  });

  it.each([
    [{ messages: [{ content: "Hi" }] }, { messages: [{ content: "Bye" }] }],
    [{ prompt: "Hi" }, { prompt: "Bye" }],
    [{ input: ["Hi"] }, { input: ["Bye"] }],
    [{ description: "Say hi" }, { description: "Say bye" }],
  ])("do not leave out what is said: %j / %j", async (recorded, asked) => {
    expect(await proposal(recorded, asked)).toBeUndefined();
  });

  it("are refused where they would make one of two recordings of different requests, and names both", async () => {
    const refused = await proposal({ q: "a", t: 1 }, { q: "b", t: 1 }, [
      { q: "x", t: 2 },
      { q: "a", t: 1 },
      { q: "c", t: 1 },
    ]);

    expect(refused).toEqual({ rules: [{ ignore: "/q", ...SCOPE }], collision: ["entry 1", "entry 2"] });
  });

  it("do not take two takes of one request for a collision", async () => {
    const others = [{ q: "a" }, { q: "a" }];

    expect(await proposal({ q: "a" }, { q: "b" }, others)).toEqual({ rules: [{ ignore: "/q", ...SCOPE }] });
  });
});

describe("the turn at which a conversation departs", () => {
  const body = (list: string, turns: readonly unknown[]) => chat({ [list]: turns }).body;
  const turn = (role: string, content: string) => ({ role, content });
  const start = [turn("user", "Hi"), turn("assistant", "Hello")];

  it.each([
    [
      "messages",
      turn("user", "A"),
      turn("user", "B"),
      "messages[2] (user): the conversation departs from the recorded one there",
    ],
    [
      "contents",
      undefined,
      turn("model", "B"),
      "contents[2] (model): the recorded conversation ends before it",
    ],
    ["messages", turn("tool", "A"), undefined, "messages[2] (tool): the conversation ends before it"],
    [
      "input",
      { type: "function_call_output", output: "1" },
      { type: "function_call_output", output: "2" },
      "input[2] (tool): the conversation departs from the recorded one there",
    ],
  ])("is told in %s", (list, recorded, asked, text) => {
    const all = (last: unknown) => body(list, last === undefined ? start : [...start, last]);

    expect(departure(all(recorded), all(asked))).toMatchObject({ index: 2, text });
  });

  it("is told where the turns stand inside of an input", () => {
    const all = (...messages: readonly unknown[]) => chat({ input: { messages } }).body;

    expect(departure(all(...start, turn("user", "A")), all(...start, turn("user", "B")))).toMatchObject({
      index: 2,
      place: "input.messages[2] (user)",
    });
  });

  it("is not told where nobody has answered before it", () => {
    const recorded = body("messages", [turn("system", "A"), turn("user", "B")]);

    expect(departure(recorded, body("messages", [turn("system", "A"), turn("user", "C")]))).toBeUndefined();
    expect(departure(recorded, recorded)).toBeUndefined();
  });
});
