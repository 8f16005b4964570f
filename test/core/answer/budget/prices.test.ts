import { describe, expect, it } from "vitest";
import { readBody } from "../../../../src/core/base/read-body.ts";
import { countBilledUnits } from "../../../../src/core/view/prices/billed-units.ts";
import { computeCost, computeCostOfAnswer, findPrice } from "../../../../src/core/view/prices/price-of.ts";
import { PRICES, type BilledUnit } from "../../../../src/core/view/prices/prices.ts";
import { formatDollars, NOTHING_SPENT, formatSpending } from "../../../../src/core/call/spending.ts";
import { readPrices } from "../../../../src/core/view/prices/own-prices.ts";

describe("the table of prices", () => {
  it("has each model once, with the month in which its price was read", () => {
    const models = PRICES.flatMap((row) => row.models);

    expect(new Set(models).size).toBe(models.length);
    expect(
      models.filter((model) => !PRICES.some((row) => row === findPrice(model) && row.models.includes(model))),
    ).toEqual([]);
    expect(PRICES.filter(({ read }) => !/^20\d\d-(?:0[1-9]|1[0-2])$/.test(read))).toEqual([]);
    expect(PRICES.filter(({ input = 0, cachedInput = 0 }) => cachedInput > input)).toEqual([]);
  });

  it.each([
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["openai/gpt-4.1-mini", "gpt-4.1-mini"],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
    ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
    ["claude-3-5-haiku@20241022", "claude-3-5-haiku"],
    ["models/gemini-2.5-flash-001", "gemini-2.5-flash"],
    ["groq/llama-3.3-70b-versatile", "llama-3.3-70b-versatile"],
    ["claude-sonnet-4-0", "claude-sonnet-4"],
    ["us.meta.llama4-maverick-17b-instruct-v1:0", "llama4-maverick-17b-instruct"],
    ["openai.gpt-oss-120b-1:0", "openai/gpt-oss-120b"],
    ["magistral-medium-2507", "magistral-medium-latest"],
    ["deepseek-v4-flash", "deepseek-flash"],
    ["command-r7b-12-2024", "command-r7b"],
  ])("knows %s as %s", (asked, known) => {
    expect(findPrice(asked)).toBeDefined();
    expect(findPrice(asked)).toBe(findPrice(known));
  });

  it.each(["gpt-4o-realtime-preview", "gpt-4o-search", "llama3.2", "gpt-9", "", "constructor", "__proto__"])(
    "does not know %o",
    (model) => {
      expect(findPrice(model)).toBeUndefined();
    },
  );

  it("is overruled by the user's own, also when a request names a date", () => {
    const mine = { input: 1, output: 2 };

    expect(findPrice("gpt-4o-2024-08-06", { "gpt-4o": mine })).toBe(mine);
    expect(findPrice("my/model", { "my/model": mine })).toBe(mine);
  });
});

describe("a cost", () => {
  const price = { input: 2, cachedInput: 0.5, output: 10, long: { tokens: 1_000, input: 4, output: 20 } };

  it("charges cached input and long prompts at their own prices", () => {
    const short = computeCost({ inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 }, price);
    const long = computeCost({ inputTokens: 1_001, outputTokens: 100 }, price);

    expect(short).toBeCloseTo((600 * 2 + 400 * 0.5 + 100 * 10) / 1e6, 12);
    expect(long).toBeCloseTo((1_001 * 4 + 100 * 20) / 1e6, 12);
  });
});

describe("a cost by unit", () => {
  const units = (unit: BilledUnit, count: number) => ({ units: { unit, count, isEstimated: false } });

  it.each([
    ["whisper-1", "second", 90, 0.009],
    ["tts-1", "character", 2_000, 0.03],
    ["sora-2", "second", 8, 0.8],
    ["imagen-3.0-generate-001", "image", 2, 0.08],
    ["mistral-ocr-latest", "page", 3, 0.012],
    ["rerank-v3.5", "search", 1, 0.002],
  ] as const)("of %s is for each %s", (model, unit, count, cost) => {
    expect(computeCostOfAnswer(units(unit, count), model, {})).toBeCloseTo(cost, 9);
  });

  it("follows the user's own prices, per minute as well", () => {
    const own = readPrices({ "whisper-1": { minute: 6 }, free: { input: 0, output: 0 } });

    expect(computeCostOfAnswer(units("second", 90), "whisper-1", own)).toBeCloseTo(9, 9);
    expect(computeCostOfAnswer({ inputTokens: 5 }, "free", own)).toBe(0);
  });

  it("is unknown if the price is for something else", () => {
    expect(computeCostOfAnswer(units("image", 1), "gpt-4o", {})).toBeUndefined();
    expect(computeCostOfAnswer({ inputTokens: 5 }, "whisper-1", {})).toBeUndefined();
  });

  it("counts tokens of audio and images at their own price", () => {
    const usage = { inputTokens: 100, cachedInputTokens: 20, mediaInputTokens: 50, outputTokens: 10 };

    expect(computeCostOfAnswer({ ...usage, mediaOutputTokens: 10 }, "gpt-realtime", {})).toBeCloseTo(
      (30 * 4 + 20 * 0.4 + 50 * 32 + 10 * 64) / 1e6,
      12,
    );
  });
});

describe("what a call is billed for", () => {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const count = (operation: string, request: object, reply?: object) =>
    countBilledUnits(
      operation,
      () => ({
        provider: "openai",
        method: "POST",
        path: "/",
        body: readBody({ body: json(request), contentType: "application/json" }),
      }),
      reply && { status: 200, body: json(reply) },
    );

  it.each([
    ["audio.speech", { input: "Grüße" }, undefined, { unit: "character", count: 5 }],
    ["audio.transcriptions", {}, { usage: { type: "duration", seconds: 9 } }, { unit: "second", count: 9 }],
    ["audio.transcriptions", {}, { duration: 3.5 }, { unit: "second", count: 3.5 }],
    ["videos.create", { seconds: "8" }, undefined, { unit: "second", count: 8 }],
    ["videos.create", {}, { seconds: "12" }, { unit: "second", count: 12 }],
    ["videos.create", {}, undefined, { unit: "second", count: 4 }],
    [
      "videos.generate",
      { parameters: { durationSeconds: 6, sampleCount: 2 } },
      undefined,
      { unit: "second", count: 12 },
    ],
    ["async_invoke.start", { modelInput: { duration: "5s" } }, undefined, { unit: "second", count: 5 }],
    ["images.generations", { n: 3 }, undefined, { unit: "image", count: 3 }],
    ["images.generations", { n: 3 }, { data: [{}, {}] }, { unit: "image", count: 2 }],
    ["images.predict", {}, { predictions: [{}] }, { unit: "image", count: 1 }],
    ["ocr", {}, { usage_info: { pages_processed: 7 } }, { unit: "page", count: 7 }],
    ["rerank", {}, { meta: { billed_units: { search_units: 2 } } }, { unit: "search", count: 2 }],
  ] as const)("%s with %j and %j is %j", (operation, request, reply, billed) => {
    expect(count(operation, request, reply)).toMatchObject(billed);
  });

  it("is estimated from the size of a sound without a reported length", () => {
    const body = new TextEncoder().encode(
      `--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n${"s".repeat(8_000)}\r\n--x--\r\n`,
    );
    const request = () => ({
      provider: "openai",
      method: "POST",
      path: "/",
      body: readBody({ body, contentType: "multipart/form-data; boundary=x" }),
    });

    expect(countBilledUnits("audio.transcriptions", request)).toMatchObject({ count: 2, isEstimated: true });
    expect(countBilledUnits("chat.completions", request)).toBeUndefined();
  });
});

describe("prices of a user", () => {
  it.each([
    [{ m: { input: 1, output: 2 } }, true],
    [{}, true],
    [{ m: { input: -1, output: 2 } }, false],
    [{ m: { minute: 0.006 }, n: { input: 1, output: 2, image: 0.04 } }, true],
    [{ m: { input: 1 } }, false],
    [{ m: { input: 1, second: 1 } }, false],
    [{ m: {} }, false],
    [{ m: { hour: 1 } }, false],
    [{ m: { input: 1, output: 2, tokens: 3 } }, false],
    [{ m: { input: "1", output: 2 } }, false],
    [[], false],
    [null, false],
  ])("%j are taken: %j", (value, taken) => {
    expect(readPrices(value) !== undefined).toBe(taken);
  });
});

describe("spending in words", () => {
  it("describes known and unknown prices", () => {
    const spent = { ...NOTHING_SPENT, calls: 1_203, inputTokens: 1_000_000, outputTokens: 7, costUsd: 1.5 };

    expect(formatSpending(spent)).toBe("1,203 calls, 1,000,007 tokens, about $1.50");
    expect(
      formatSpending({ ...NOTHING_SPENT, calls: 1, inputTokens: 9, unpricedCalls: 1, estimatedCalls: 1 }),
    ).toBe("1 call, about 9 tokens, 1 of unknown price");
  });

  it.each([
    [0, "$0.00"],
    [0.012_34, "$0.012"],
    [0.000_003_9, "$0.0000039"],
    [1_234.5, "$1,234.50"],
    [0.5, "$0.50"],
  ])("writes %d as %s", (amount, text) => {
    expect(formatDollars(amount)).toBe(text);
  });
});
