import { expect, test } from "vitest";
import {
  chaosConfig,
  chaosConfigFromEnvironment,
  ChaosChatProvider,
  corruptedStream,
} from "../../../src/systems/kosong/index.ts";
import { given, pageOf, shown } from "../../client/bad-input/cells.ts";

const DEFAULTS = {
  errorProbability: 0.3,
  errorTypes: [429, 500, 502, 503],
  retryAfter: 2,
  seed: null,
  corruptToolCallProbability: 0.1,
};

const CONFIGS: readonly object[] = [
  { errorProbability: -0.1 },
  { errorProbability: 1.1 },
  { corruptToolCallProbability: -0.1 },
  { corruptToolCallProbability: Number.NaN },
  { retryAfter: -1 },
  ...[[429, 399], [600], [429.5], [], [400, 599]].map((errorTypes) => ({ errorTypes })),
  {},
  { errorProbability: 1, corruptToolCallProbability: 1, retryAfter: 0 },
  { errorTypes: [], errorProbability: 0 },
];

const ENVIRONMENTS: readonly Readonly<Record<string, string>>[] = [
  {},
  ...["", "0", "x"].map((seed) => ({ CHAOS_SEED: seed })),
  {
    CHAOS_ERROR_PROBABILITY: "0.5",
    CHAOS_ERROR_TYPES: "429, 500",
    CHAOS_RETRY_AFTER: "3",
    CHAOS_SEED: "7",
    CHAOS_CORRUPT_TOOL_CALL_PROBABILITY: "0",
  },
  { CHAOS_RETRY_AFTER: " " },
  { CHAOS_ERROR_TYPES: "429,x" },
  { CHAOS_ERROR_TYPES: "" },
];

test("kosong's chaos has defaults, and refuses odd settings, as the page beside this test has it [KO-49]", async () => {
  const page = await pageOf([
    ...CONFIGS.map((config) => [shown(config), () => chaosConfig(config)] as const),
    ...ENVIRONMENTS.map((env) => [shown(env), () => chaosConfigFromEnvironment(env)] as const),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("chaos-config.txt");
  expect(chaosConfig()).toEqual(DEFAULTS);
  expect(Object.isFrozen(chaosConfig().errorTypes)).toBe(true);
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
