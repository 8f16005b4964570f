import { describe, expect, it } from "vitest";
import {
  formatDuration,
  renderTimeline,
  type TimelineOptions,
} from "../../../../src/core/view/run-record/timeline-document.ts";
import type { RunRecord } from "../../../../src/core/view/run-record/run-record.ts";
import { aLongRun, aRun, aRunCall } from "../../../support/a-run.ts";

const render = (run: RunRecord | undefined, options: Omit<TimelineOptions, "timeOf">) =>
  renderTimeline(run, { ...options, timeOf: () => "Jan 15" });

const ENTRY = `calls/openai/01/${"0123456789ab".padEnd(64, "0")}.json`;
const OTHER = { file: "b.test.ts", name: ["other"] };

describe("the timeline of a run", () => {
  it("has a line for each call with its bar, grouped by test, and names a shared model once", () => {
    const calls = [
      aRunCall("Where is my order?", {
        ms: 1_000,
        firstByteMs: 500,
        outcome: "recorded",
        entry: ENTRY,
        answered: "look_up(A-1)",
        tokens: { input: 1_200, output: 80, cached: 1_024 },
        costUsd: 0.0012,
      }),
      aRunCall("Hello", { at: 500, test: OTHER, outcome: "miss", note: "temperature 0.2 → 0.7" }),
      aRunCall("Where is it?", { at: 1_500, ms: 500, model: "o4", continues: ["0123456789ab"] }),
    ];
    const { text } = render(aRun(calls, { passed: false }), { which: "run" });

    const lines = text.split("\n");
    expect(lines.map((line) => line.trimEnd())).toEqual([
      "npm test · strict · Jan 15 · failed",
      "▶ 1 replayed · ● 1 recorded · ✕ 1 missed · 1,200 tokens in · 80 out · 1,024 cached · about $0.0012 (replays counted as recorded)",
      "Times of this run",
      "",
      "0 ms    500 ms  1 s     1.5 s     Time    Cost     Call",
      "── agent › finds the order ─── tests/agent.test.ts:7 · 2 calls",
      "────────████████                  1 s     $0.0012  ● 1 Where is my order? → look_up(A-1) · gpt-4o-mini",
      "                ········████████  500 ms           ▶ 2 Where is it? continues 1 · o4",
      "── other ─── b.test.ts · 1 call · gpt-4o-mini",
      "        ░                         1 ms             ✕ 1 Hello · temperature 0.2 → 0.7",
      "",
    ]);
  });

  it("shortens long prompts and replies, so that a call fits in a line", () => {
    const calls = [
      aRunCall("Where is my order ".repeat(4), { answered: "It is on its way ".repeat(4) }),
      aRunCall("我的订单在哪里".repeat(10), { outcome: "miss" }),
    ];
    const { text } = render(aRun(calls), { which: "run" });

    expect(text).toContain("1 Where is my order Whe… → It is on its way It i…");
    expect(text).toMatch(/2 (我的订单在哪里){3}我…$/m);
  });

  it("links tests, recordings, and missing calls", () => {
    const calls = [
      aRunCall("kept", { entry: ENTRY }),
      aRunCall("missed", { outcome: "miss", key: "sha256:0" }),
    ];
    const { text, links } = render(aRun(calls), { which: "run" });
    const lines = text.split("\n");

    expect(links.map(({ line, start, end, target }) => [lines[line]?.slice(start, end), target])).toEqual([
      ["agent › finds the order", { kind: "test", file: "tests/agent.test.ts", line: 7 }],
      ["kept", { kind: "recording", entry: ENTRY }],
      ["missed", { kind: "missed", key: "sha256:0" }],
    ]);
  });

  it("shows the times of the recordings on request, and which times are unknown", () => {
    const calls = [aRunCall("a", { recorded: { ms: 900 } }), aRunCall("b", { at: 10 })];
    const { text } = render(aRun(calls), { which: "recorded" });

    expect(text).toContain("Times as recorded");
    expect(text).toMatch(/^█{32} {2}900 ms .* a$/m);
    expect(text).toMatch(/^ {31}░ {2}– .* b$/m);
  });

  it("of a test, a suite, or a file shows its calls alone, on a scale of their own", () => {
    const calls = [aRunCall("a"), aRunCall("b", { at: 5_000, ms: 20, test: OTHER })];

    for (const name of [["other"], []]) {
      const { text } = render(aRun(calls), { which: "run", test: { file: "b.test.ts", name } });
      expect(text).not.toContain("finds the order");
      expect(text).toMatch(/^█{32} {2}20 ms/m);
    }
  });

  it("shows every call of a long run, and how many calls are not stored", () => {
    const { text } = render({ ...aLongRun(1_010), left: 2 }, { which: "run" });

    expect(text.match(/Where is my order/g)).toHaveLength(1_010);
    expect(text).toContain("2 more calls are not kept");
  });

  it("shows that there is no run, and that a run has no calls of a test", () => {
    expect(render(undefined, { which: "run" }).text).toContain("No run is stored yet");
    expect(
      render(aRun([aRunCall("a")]), { which: "run", test: OTHER })
        .text.split("\n")
        .slice(1),
    ).toEqual(["This run has no calls of this test.", ""]);
  });

  it("does not call a run with missed calls passed, because a pipe hides the exit code of tests", () => {
    const endOf = (outcome: "replayed" | "miss") =>
      render(aRun([aRunCall("a", { outcome })], { passed: true }), { which: "run" }).text.split("\n")[0];

    expect(endOf("replayed")).toMatch(/ · passed$/);
    expect(endOf("miss")).not.toContain("passed");
  });
});

it.each([
  [0, "0 ms"],
  [0.42, "0.4 ms"],
  [12.6, "13 ms"],
  [1_240, "1.24 s"],
  [59_940, "59.9 s"],
  [60_000, "1 min"],
  [123_000, "2 min 3 s"],
  [7_503_000, "2 h 5 min"],
])("a duration of %d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
