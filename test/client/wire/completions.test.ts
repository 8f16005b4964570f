import OpenAI from "openai";
import { expect, test } from "vitest";
import { sdkCompletions } from "../../../src/client/wire/completions.ts";

/** Returns the failure that an official SDK's error becomes for this answer of a provider. */
async function failureOf(answer: () => Response): Promise<unknown> {
  const sdk = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: async () => answer() });
  return sdkCompletions(sdk)
    .create({ model: "m", messages: [] }, {})
    .catch((error: unknown) => error);
}

const saying = (status: number, error: object, headers: Record<string, string> = {}) => {
  return (): Response => Response.json({ error }, { status, headers });
};

test("an SDK's failure keeps its text and has its kind, its provider, and the time to wait", async () => {
  const limited = saying(429, { message: "slow" }, { "retry-after": "3", "x-request-id": "r1" });
  const cut = (): Response => {
    throw new TypeError("terminated");
  };

  expect(await failureOf(limited)).toMatchObject({
    kind: "rate-limit",
    message: "429 slow",
    provider: "openai",
    requestId: "r1",
    retryAfterMs: 3000,
  });
  expect(await failureOf(saying(401, { message: "key" }))).toMatchObject({ kind: "authentication" });
  expect(await failureOf(cut)).toMatchObject({ kind: "connection", retryable: true });
});

test("answers of the engine through an SDK are distinguished from a provider's", async () => {
  const miss = saying(404, { message: "nothing recorded", code: "tapedeck_miss" });
  const refused = saying(400, { message: "not that", code: "tapedeck_refused" });

  expect(await failureOf(miss)).toMatchObject({ kind: "not-recorded", message: "404 nothing recorded" });
  expect(await failureOf(refused)).toMatchObject({ kind: "validation", retryable: false });
});
