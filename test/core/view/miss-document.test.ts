import { describe, expect, it } from "vitest";
import { renderMiss } from "../../../src/core/view/miss-document.ts";
import { aMiss, aView, linksOf, NOW } from "./views.ts";

const NEAREST = {
  entry: "calls/openai/7b/7b00.json",
  key: `sha256:7b00aaaa${"0".repeat(56)}`,
  recordedAt: "2026-11-17T11:00:00.000Z",
  differences: [
    {
      at: "/messages/0/content",
      kind: "changed",
      text: 'messages[0] (system): "terse" → "brief"',
      marked: "You are [-terse-]{+brief+}.",
    },
    { at: "/temperature", kind: "changed", recorded: "0.2", asked: "0.7", text: "temperature 0.2 → 0.7" },
  ],
} as const;
const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers in one word"], line: 12 };

describe("a missing call as a document", () => {
  it("shows the missing call, its test, the differences from the nearest recording, and the request", () => {
    const { text } = renderMiss(aMiss({ nearest: NEAREST }), aView(), { now: NOW, test: TEST });

    expect(text).toBe(`Missing: gpt-4o-mini, made by tests/chat.test.ts:12 chat › answers in one word
Differs from the nearest recording (recorded 3 days ago):
    messages[0] (system): "terse" → "brief"
        You are [-terse-]{+brief+}.
    temperature 0.2 → 0.7
To record it, choose "Record" above the test.

── system ───
You are terse.
── user ───
Say hi in one word.
── parameters ───
temperature 0.2 · seed 7 · tools get_weather(city)
── call ───
openai · chat.completions · key 3f9a2c41…
`);
  });

  it("names the origins of the values of the call, or reports that none is known", () => {
    const made = {
      at: "/user",
      kind: "changed",
      recorded: "job-12345",
      asked: "job-67890",
      text: "user",
    } as const;
    const nearest = { ...NEAREST, differences: [made] };
    const miss = aMiss({ nearest });
    const known = { ...miss, request: { ...miss.request, values: [{ text: "41234", origin: "port 1" }] } };
    const lines = (one: typeof miss) => renderMiss(one, aView(), { now: NOW, test: TEST }).text.split("\n");

    expect(lines(known)[3]).toBe("Matched by origin: 41234 (port 1).");
    expect(lines(miss)[3]).toBe("No origin is known for the values that differ.");
  });

  it("leads to the test and to the nearest recording", () => {
    const rendered = renderMiss(aMiss({ nearest: NEAREST }), aView(), { now: NOW, test: TEST });

    expect(linksOf(rendered)).toEqual([
      ["tests/chat.test.ts:12", { kind: "test", file: "tests/chat.test.ts", line: 12 }],
      ["the nearest recording", { kind: "recording", entry: NEAREST.entry }],
    ]);
  });

  it("leads to the place of the call when that is not in the test itself", () => {
    const test = { ...TEST, at: { file: "src/ask.ts", line: 9 } };

    const rendered = renderMiss(aMiss(), aView(), { now: NOW, test });

    expect(rendered.text.split("\n")[1]).toBe("Called in src/ask.ts:9");
    expect(linksOf(rendered)[1]).toEqual(["src/ask.ts:9", { kind: "test", file: "src/ask.ts", line: 9 }]);
  });

  it("reports an unknown test, no near recording, and a repeated call", () => {
    const { text } = renderMiss(aMiss(), aView(), { now: NOW, count: 3 });

    expect(text.split("\n").slice(0, 3)).toEqual([
      "Missing: gpt-4o-mini, made outside any known test (3 times)",
      "No similar call is recorded.",
      'To record it, choose "Record when made again", then run the code that makes it.',
    ]);
  });

  it("reports that the call was recorded and links the recording", () => {
    const entry = "calls/openai/3f/3f9a.json";

    const rendered = renderMiss(aMiss({ nearest: NEAREST }), aView(), {
      now: NOW,
      test: TEST,
      answeredBy: entry,
    });

    expect(rendered.text.split("\n").slice(0, 3)).toEqual([
      "Recorded: gpt-4o-mini, made by tests/chat.test.ts:12 chat › answers in one word",
      "It is recorded now: open the recording",
      "",
    ]);
    expect(linksOf(rendered)[1]).toEqual(["open the recording", { kind: "recording", entry }]);
  });
});
