import { expect, test } from "vitest";
import { convertSdkFailure } from "../../../src/client/adapters/sdk-failure.ts";
import { asChatError } from "../../../src/client/errors.ts";
import { createBadRequest, createTapedeckError } from "../../../src/core/base/errors.ts";

/** An error as an SDK throws it: by the name of its class, with fields. */
function thrown(name: string, fields: object = {}, message = "odd", cause?: unknown): Error {
  const named = { [name]: class extends Error {} }[name]!;
  return Object.assign(new named(message, { cause }), fields);
}

test.each<readonly [error: unknown, failure: object]>([
  ["odd", { kind: "unknown", message: "odd" }],
  [thrown("APIUserAbortError"), { kind: "cancelled" }],
  [thrown("APIConnectionTimeoutError"), { kind: "timeout", provider: "p" }],
  [thrown("APIConnectionError", {}, "odd", new Error("why")), { message: "p could not be reached: why" }],
  [thrown("TypeError", {}, "fetch failed"), { kind: "connection" }],
  [thrown("Error", { code: "ECONNRESET" }), { kind: "connection" }],
  [thrown("Error", {}, "Unexpected end of JSON input"), { kind: "connection" }],
  [thrown("Error", { status: 503 }), { kind: "status", status: 503, retryable: true }],
  [thrown("Error", { status: 401, error: { error: { message: "no" } } }), { kind: "authentication" }],
  [thrown("Error", { status: 400 }, '{"error":{"message":"no"}}'), { kind: "status", message: "no" }],
  [thrown("Error", { error: { type: "overloaded_error", message: "busy" } }), { status: 529 }],
  [thrown("Error", { error: { code: 400, message: "no" } }), { kind: "status", status: 400 }],
  [thrown("Error", { error: { code: "rate_limit_exceeded" } }), { kind: "rate-limit", retryable: true }],
  [thrown("Error", { error: { code: "tapedeck_miss" } }), { kind: "not-recorded" }],
  [thrown("Error", { error: { code: "tapedeck_upstream" } }), { kind: "connection" }],
  [thrown("Error", { status: 403, error: { code: "tapedeck_budget" } }), { kind: "validation" }],
  [
    thrown("Error", { status: 429, headers: new Headers({ "retry-after": "2", "x-request-id": "r" }) }),
    { kind: "rate-limit", requestId: "r", retryAfterMs: 2000 },
  ],
])("an SDK's error has a kind and the provider's message, case %#", (error, failure) => {
  expect(convertSdkFailure(error, "p")).toMatchObject(failure);
});

test("the reason of a signal counts more than the SDK's error", () => {
  const late = AbortSignal.abort(Object.assign(new Error("late"), { name: "TimeoutError" }));

  expect(convertSdkFailure(new Error("odd"), "p", late)).toMatchObject({ kind: "timeout" });
  expect(convertSdkFailure(new Error("odd"), "p", AbortSignal.abort())).toMatchObject({ kind: "cancelled" });
});

test("an error of Tapedeck keeps its hint", () => {
  const miss = createTapedeckError("tapedeck_miss", "none", { hint: "Record it." });

  expect(asChatError(miss)).toMatchObject({ kind: "not-recorded", hint: "Record it." });
  expect(asChatError(createBadRequest("odd", "Say more."))).toMatchObject({ kind: "validation" });
});
