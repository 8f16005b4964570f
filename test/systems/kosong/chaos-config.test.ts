import { expect, test } from "vitest";
import {
  chaosConfig,
  chaosConfigFromEnvironment,
  ChaosChatProvider,
  corruptedStream,
} from "../../../src/systems/kosong/index.ts";
import { given } from "../../client/bad-input/cells.ts";

const DEFAULTS = {
  errorProbability: 0.3,
  errorTypes: [429, 500, 502, 503],
  retryAfter: 2,
  seed: null,
  corruptToolCallProbability: 0.1,
};

test.each<readonly [config: object, says: string]>([
  [{ errorProbability: -0.1 }, "errorProbability must be a number from 0 to 1"],
  [{ errorProbability: 1.1 }, "errorProbability must be a number from 0 to 1"],
  [{ corruptToolCallProbability: -0.1 }, "corruptToolCallProbability must be a number from 0 to 1"],
  [{ corruptToolCallProbability: Number.NaN }, "corruptToolCallProbability must be a number from 0 to 1"],
  [{ retryAfter: -1 }, "retryAfter must be a number of seconds from 0 on"],
  [{ errorTypes: [429, 399] }, "errorTypes must be statuses from 400 to 599"],
  [{ errorTypes: [600] }, "errorTypes must be statuses from 400 to 599"],
  [{ errorTypes: [429.5] }, "errorTypes must be statuses from 400 to 599"],
  [{ errorTypes: [] }, "errorTypes must be at least one status"],
])("kosong's chaos refuses %j [KO-49]", (config, says) => {
  expect(() => chaosConfig(config)).toThrow(says);
});

test("bounds are inclusive, and omitted settings have their default", () => {
  expect(chaosConfig()).toEqual(DEFAULTS);
  expect(chaosConfig({ errorProbability: 1, corruptToolCallProbability: 1, retryAfter: 0 })).toMatchObject({
    errorProbability: 1,
    corruptToolCallProbability: 1,
    retryAfter: 0,
  });
  expect(chaosConfig({ errorTypes: [400, 599] }).errorTypes).toEqual([400, 599]);
  expect(chaosConfig({ errorTypes: [], errorProbability: 0 }).errorTypes).toEqual([]);
  expect(Object.isFrozen(chaosConfig().errorTypes)).toBe(true);
});

test("chaos is read from the environment, and odd values are refused by their names", () => {
  const env = {
    CHAOS_ERROR_PROBABILITY: "0.5",
    CHAOS_ERROR_TYPES: "429, 500",
    CHAOS_RETRY_AFTER: "3",
    CHAOS_SEED: "7",
    CHAOS_CORRUPT_TOOL_CALL_PROBABILITY: "0",
  };

  expect(chaosConfigFromEnvironment({})).toEqual(DEFAULTS);
  expect(chaosConfigFromEnvironment({ CHAOS_SEED: "" })).toEqual(DEFAULTS);
  expect(chaosConfigFromEnvironment({ CHAOS_SEED: "0" })).toMatchObject({ seed: 0 });
  expect(chaosConfigFromEnvironment(env)).toEqual({
    errorProbability: 0.5,
    errorTypes: [429, 500],
    retryAfter: 3,
    seed: 7,
    corruptToolCallProbability: 0,
  });
  for (const [name, value] of [
    ["CHAOS_RETRY_AFTER", " "],
    ["CHAOS_SEED", "x"],
    ["CHAOS_ERROR_TYPES", "429,x"],
    ["CHAOS_ERROR_TYPES", ""],
  ] as const)
    expect(() => chaosConfigFromEnvironment({ [name]: value })).toThrow(name);
});

test.each<readonly [errors: number, corrupts: number, name: string]>([
  [0, 0, "m"],
  [0.5, 0, "chaos(m)"],
  [0, 0.5, "chaos(m)"],
])("a provider with chaos %d and %d is called %s", (errorProbability, corruptToolCallProbability, name) => {
  const inner = given({
    name: "p",
    modelName: "m",
    thinkingEffort: "low",
    fetch: () => undefined,
    withFetch: () => inner,
  });
  const chaos = new ChaosChatProvider(inner, { errorProbability, corruptToolCallProbability });

  expect([chaos.modelName, chaos.name, chaos.thinkingEffort]).toEqual([name, "p", "low"]);
});

test("arguments are corrupted exactly as often as the dice say, and all else passes", async () => {
  const call = { type: "function", id: "c", function: { name: "f", arguments: '{"a": 1}' }, extras: null };
  const stream = (): never =>
    given({
      id: "i",
      usage: null,
      async *[Symbol.asyncIterator]() {
        yield { type: "text", text: "a" };
        yield call;
      },
    });
  const read = async (dice: number): Promise<unknown[]> => {
    const config = { ...DEFAULTS, corruptToolCallProbability: 0.5 };
    const made = corruptedStream(stream(), given(config), { parts: () => dice });
    const parts: unknown[] = [];
    for await (const part of made) parts.push(part);
    return [made.id, made.usage, made.traceId, ...parts];
  };

  expect(await read(0.5)).toEqual(["i", null, null, { type: "text", text: "a" }, call]);
  expect(await read(0.49)).not.toEqual(await read(0.5));
});
