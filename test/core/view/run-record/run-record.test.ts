import { describe, expect, it } from "vitest";
import { readRecordedFacts } from "../../../../src/core/view/run-record/recorded-facts.ts";
import { createRunCall, computeRunTotals } from "../../../../src/core/view/run-record/run-record.ts";
import {
  pickRunHead,
  readRunHead,
  readRunRecord,
  formatRunRecord,
} from "../../../../src/core/view/run-record/run-record-text.ts";
import { aCall, aMiss, aTest, entryOf } from "../../../editor/call-events.ts";
import { aLongRun, aRun, aRunCall } from "../../../support/a-run.ts";
import { aRecording } from "../../../support/a-recording.ts";

describe("a call of a run", () => {
  it("keeps its time, its duration, and of its request only the label", () => {
    const event = aCall("Hi", {
      at: 5_250,
      ms: 812.345,
      firstByteMs: 400.04,
      outcome: "recorded",
      test: { ...aTest("greets", "1"), line: 9 },
      charge: {
        calls: 1,
        inputTokens: 12,
        outputTokens: 3,
        costUsd: 0.5,
        unpricedCalls: 0,
        estimatedCalls: 0,
      },
    });

    expect(createRunCall(event, 5_000)).toEqual({
      at: 250,
      ms: 812.3,
      firstByteMs: 400,
      outcome: "recorded",
      provider: "openai",
      operation: "chat.completions",
      model: "gpt-4o-mini",
      label: "Hi",
      test: { file: "tests/chat.test.ts", name: ["chat", "greets"], line: 9 },
      entry: entryOf("Hi"),
      key: event.key,
      tokens: { input: 12, output: 3 },
      costUsd: 0.5,
    });
  });

  it("shows how a miss differs from the nearest recording (of texts only the place), and the reason of a refusal", () => {
    const nearest = aMiss("Hi", "Hello").nearest;
    const differences = [
      { at: "/temperature", kind: "changed", text: "temperature 0.2 → 0.7" },
      { at: "/messages/0", kind: "changed", text: 'messages[0] (user): "order" → "parcel"' },
      { at: "/system", kind: "changed", text: 'system, sentence 2 added: "Be brief."' },
      { at: "/messages/1", kind: "added", text: 'messages[1] (user) added: "Thanks"' },
    ] as const;
    const missed = aCall("Hi", {
      outcome: "miss",
      miss: { ...aMiss("Hi"), ...(nearest && { nearest: { ...nearest, differences } }) },
    });

    expect(createRunCall(missed, 0).note).toBe(
      "temperature 0.2 → 0.7; messages[0] (user) differs; system, sentence 2 added; messages[1] (user) added",
    );
    expect(createRunCall(aCall("Hi", { outcome: "refused", reason: "No key." }), 0).note).toBe("No key.");
  });
});

describe("a run as text", () => {
  it("round-trips, and its first line alone holds everything a list shows", () => {
    const run = { ...aLongRun(30), passed: false, left: 2 };
    const text = formatRunRecord(run);

    expect(readRunRecord(text)).toEqual(run);
    expect(readRunHead(text.slice(0, text.indexOf("\n")))).toEqual(pickRunHead(run));
    expect(pickRunHead(run).counts).toEqual({
      replayed: 5,
      recorded: 5,
      miss: 5,
      forwarded: 5,
      refused: 5,
      defaulted: 5,
    });
  });

  it("skips invalid calls, and is rejected when its head is of another version or damaged", () => {
    const text = formatRunRecord(aRun([aRunCall("Hi"), aRunCall("Ho")]));
    const [head = "", first = ""] = text.split("\n");

    expect(readRunRecord([head, first, "{", '{"at":-1}', "null"].join("\n"))?.calls).toEqual([
      aRunCall("Hi"),
    ]);
    expect(readRunRecord(text.replace('"version":1', '"version":2'))).toBeUndefined();
    expect(readRunHead("not JSON")).toBeUndefined();
    expect(readRunHead("")).toBeUndefined();
  });
});

describe("what a recording adds to a call", () => {
  const ofStream = (waitsMs: readonly number[]) => ({
    recording: aRecording({ reply: { waitsMs } }),
    projection: { messages: [], usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3 } },
    cost: 0.01,
  });

  it("is its tokens, its cost, and the rhythm of its stream", () => {
    expect(readRecordedFacts(ofStream([100, 20, 30]))).toEqual({
      tokens: { input: 9, output: 4, cached: 3 },
      costUsd: 0.01,
      recorded: { ms: 150, firstByteMs: 100, isPartial: true },
    });
  });

  it("is the whole time when this machine noted it", () => {
    expect(readRecordedFacts(ofStream([10, 20, 30]), { ms: 900, firstByteMs: 800 }).recorded).toEqual({
      ms: 900,
      firstByteMs: 800,
    });
  });
});

it("counts the duration of calls and the calls without a price", () => {
  const totals = computeRunTotals([
    aRunCall("a", { tokens: { input: 10, output: 2, cached: 4 }, costUsd: 0.25 }),
    aRunCall("b", { tokens: { input: 1 } }),
    aRunCall("c", { outcome: "miss" }),
  ]);

  expect(totals).toEqual({
    calls: 3,
    counts: { replayed: 2, miss: 1 },
    input: 11,
    output: 2,
    cached: 4,
    costUsd: 0.25,
    unpriced: 1,
  });
});
