import { describe, expect, it } from "vitest";
import { addRun, dayFromJson, dayToJson, joinDays, NO_DAY } from "../../../src/core/overview/day.ts";
import { sumsOfRun } from "../../../src/core/overview/run-sums.ts";
import { callsIn, NO_SUMS, savedMs, sumsFromJson, sumsToJson } from "../../../src/core/overview/sums.ts";
import { aRun } from "../../support/a-run.ts";
import { aCall } from "./a-run.ts";

describe("sums of a run", () => {
  it("count what replays stand for as saved, and what was sent as spent", () => {
    const { all, ms } = sumsOfRun(
      aRun([
        aCall({ ms: 2, tokens: { input: 10, output: 5 }, costUsd: 0.5, recorded: { ms: 900 } }),
        aCall({ ms: 3, at: 40 }),
        aCall({ outcome: "recorded", ms: 700, at: 50, tokens: { input: 1, output: 2 }, costUsd: 0.25 }),
        aCall({ outcome: "forwarded", ms: 100 }),
        aCall({ outcome: "miss", ms: 1 }),
      ]),
    );

    expect(all.outcomes).toMatchObject({ replayed: 2, recorded: 1, forwarded: 1, miss: 1 });
    expect(all.saved).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.5 });
    expect(all.paid).toMatchObject({ calls: 2, inputTokens: 1, outputTokens: 2, costUsd: 0.25 });
    expect([all.timed, savedMs(all), all.paidMs]).toEqual([1, 898, 800]);
    expect(ms).toBe(750);
  });

  it("say of how many calls nobody knows the price, but for those of this machine", () => {
    const calls = [aCall({ tokens: { input: 1 } }), aCall({ provider: "ollama", tokens: { input: 1 } })];

    const { all, models } = sumsOfRun(aRun(calls), (provider) =>
      provider === "ollama" ? "http://127.0.0.1:11434" : undefined,
    );

    expect(all.saved).toMatchObject({ calls: 2, unpricedCalls: 1, costUsd: 0 });
    expect(models.map(({ provider, sums }) => [provider, sums.saved.unpricedCalls])).toEqual([
      ["openai", 1],
      ["ollama", 0],
    ]);
  });

  it("stand by model and by test; a call of no known test is in the whole alone", () => {
    const test = { file: "a.test.ts", name: ["a"], line: 3 };

    const { all, models, tests } = sumsOfRun(
      aRun([aCall({ test }), aCall({ test: { ...test, line: 9 } }), aCall({ model: "o3" }), aCall({})]),
    );

    expect(callsIn(all)).toBe(4);
    expect(models.map(({ model, sums }) => [model, callsIn(sums)])).toEqual([
      ["gpt-4o", 3],
      ["o3", 1],
    ]);
    expect(tests).toEqual([{ test: { file: "a.test.ts", name: ["a"] }, sums: expect.anything() as object }]);
    expect(callsIn(tests[0]?.sums ?? NO_SUMS)).toBe(2);
  });

  it("never say that replaying took time away", () => {
    const { all } = sumsOfRun(aRun([aCall({ ms: 50, recorded: { ms: 10 } })]));

    expect(savedMs(all)).toBe(0);
  });
});

describe("a day", () => {
  const run = (id: string, model: string) =>
    sumsOfRun({ ...aRun([aCall({ model, costUsd: 0.1, tokens: { input: 7 } })]), id });

  it("comes back from what is written of it", () => {
    const day = addRun(addRun(NO_DAY, run("1", "a")), run("2", "b"));

    expect(dayFromJson(JSON.parse(JSON.stringify(dayToJson(day))))).toEqual(day);
  });

  it("stays small whatever is called, and its whole stays right", () => {
    const limits = { runs: 2, models: 2, tests: 1 };

    let day = NO_DAY;
    for (let index = 0; index < 5; index += 1)
      day = addRun(day, run(String(index), `model ${index}`), limits);

    expect([day.runs, callsIn(day.all), day.models.length]).toEqual([5, 5, 2]);
    expect(day.latest.map(({ id }) => id)).toEqual(["3", "4"]);
  });

  it("joins others, by name", () => {
    const joined = joinDays([
      addRun(NO_DAY, run("1", "a")),
      addRun(addRun(NO_DAY, run("2", "a")), run("3", "b")),
    ]);

    expect(joined.models.map(({ model, sums }) => [model, callsIn(sums)])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect([joined.runs, joined.latest.length]).toEqual([3, 3]);
  });

  it.each([undefined, null, "text", {}, { version: 2, runs: 1 }, { version: 1, runs: 1, all: [1] }])(
    "that cannot be read is one without a run: %j",
    (written) => expect(dayFromJson(written)).toEqual(NO_DAY),
  );
});

it("sums are read back from numbers, and from nothing else", () => {
  const { all } = sumsOfRun(aRun([aCall({ costUsd: 0.1 + 0.2, tokens: { input: 3 } })]));
  const written = sumsToJson(all);

  expect(sumsFromJson(written)?.saved).toMatchObject({ inputTokens: 3, costUsd: 0.3 });
  expect(sumsFromJson(written.slice(1))).toBeUndefined();
  expect(sumsFromJson(["1", ...written.slice(1)])).toBeUndefined();
});
