import { expect, test } from "vitest";
import { sdkError } from "../../../src/client/wire/sdk-failure.ts";
import { asChatError, chatError } from "../../../src/client/errors.ts";
import { createBadRequest, createTapedeckError } from "../../../src/core/base/errors.ts";

/** An error as an SDK throws it: by the name of its class, with fields. */
function thrown(name: string, fields: object = {}, message = "odd", cause?: unknown): Error {
  const named = { [name]: class extends Error {} }[name]!;
  return Object.assign(new named(message, { cause }), fields);
}
const called = (name: string): Error => Object.assign(new Error("odd"), { name });
const coded = (code: string): Error => Object.assign(new Error("inner"), { code });
const headers = (fields: Record<string, string>): object => ({ headers: new Headers(fields) });

const THROWN: Readonly<Record<string, unknown>> = {
  "a text": "odd",
  "an abort of the SDK": thrown("APIUserAbortError"),
  "an abort": called("AbortError"),
  "a timeout of the SDK": thrown("APIConnectionTimeoutError"),
  "a timeout": called("TimeoutError"),
  "a connection of the SDK": thrown("APIConnectionError", {}, "odd", new Error("why")),
  "a failed fetch": thrown("TypeError", {}, "fetch failed", new Error("x", { cause: new Error("deep") })),
  "a code": thrown("Error", { code: "ECONNRESET" }),
  "a code of its cause": thrown("Error", {}, "odd", coded("UND_ERR_SOCKET")),
  "a code of something else": thrown("Error", { code: "ENOENT" }),
  "an answer that was cut": thrown("Error", {}, "Unexpected end of JSON input"),
  "a status": thrown("Error", { status: 503 }),
  "a status of Python's kind": thrown("Error", { status: "x", status_code: 429 }),
  "the provider's message": thrown("Error", { status: 400, error: { message: "no", type: "t" } }),
  "a nested message": thrown("Error", { status: 401, error: { error: { message: "no" } } }),
  "a message in JSON": thrown("Error", { status: 400 }, '{"error":{"message":"no"}}'),
  "a type inside a stream": thrown("Error", { error: { type: "overloaded_error", message: "busy" } }),
  "a number inside a stream": thrown("Error", { error: { code: 400, message: "no" } }),
  "a code inside a stream": thrown("Error", { error: { code: "rate_limit_exceeded" } }),
  "a budget of the engine": thrown("Error", { status: 403, error: { code: "tapedeck_budget" } }),
  "the last number that is a status": thrown("Error", { error: { code: 599 } }),
  "a number below": thrown("Error", { error: { code: 399, message: "no" } }),
  "a number above": thrown("Error", { error: { code: 600 } }),
  "a miss of the engine": thrown("Error", { status: 404, error: { code: "tapedeck_miss", message: "none" } }),
  "a miss by its header": thrown("Error", { status: 404, ...headers({ "x-tapedeck-outcome": "miss" }) }),
  "an upstream that is gone": thrown("Error", {
    status: 502,
    error: { code: "tapedeck_upstream", message: "gone" },
  }),
  "a refusal of the engine": thrown("Error", {
    status: 403,
    error: { code: "tapedeck_refused", message: "no" },
  }),
  "a refusal by its header": thrown("Error", {
    status: 403,
    ...headers({ "x-tapedeck-outcome": "refused" }),
  }),
  "a refusal by its type": thrown("Error", { error: { type: "tapedeck_refused" } }),
  "a refusal by its status": thrown("Error", { error: { status: "tapedeck_refused" } }),
  "a refusal by the error's code": thrown("Error", { code: "tapedeck_refused" }),
  "a request's id": thrown("Error", {
    status: 500,
    requestID: "a",
    request_id: "b",
    ...headers({ "x-request-id": "c" }),
  }),
  "a request's id of Python's kind": thrown("Error", {
    status: 500,
    request_id: "b",
    ...headers({ "x-request-id": "c" }),
  }),
  "a request's id in a header": thrown("Error", {
    status: 500,
    ...headers({ "x-request-id": "c", "request-id": "d" }),
  }),
  "a request's id in another header": thrown("Error", { status: 500, ...headers({ "request-id": "d" }) }),
  "a time to wait": thrown("Error", { status: 429, ...headers({ "retry-after": "2" }) }),
  "an exact time to wait": thrown("Error", {
    status: 429,
    ...headers({ "retry-after-ms": "5", "retry-after": "2" }),
  }),
};

test("an error that an SDK throws becomes a failure, as the page beside this test has it", async () => {
  const page = Object.entries(THROWN).map(([what, error]) => {
    const { kind, message, status, retryable, hint, provider, requestId, retryAfterMs } = sdkError(
      error,
      "p",
    );
    return `${what}\n  ${kind}: ${message} ${JSON.stringify({ status, retryable, hint, provider, requestId, retryAfterMs })}\n`;
  });

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("")).toMatchFileSnapshot("sdk-failures.txt");
});

test.each<readonly [ms: string | undefined, seconds: string | undefined, told: number | undefined]>([
  ["0", "2", 0],
  ["-1", "2", 2_000],
  ["soon", "0", 0],
  [undefined, "1.5", 1_500],
  [undefined, "-1", undefined],
  [undefined, "Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  [undefined, undefined, undefined],
])("a time to wait of %s ms and %s s is %s ms", (ms, seconds, told) => {
  const waits = Object.entries({ "retry-after-ms": ms, "retry-after": seconds });
  const given = waits.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const failed = Object.assign(new Error("slow"), { status: 429, ...headers(Object.fromEntries(given)) });

  expect(sdkError(failed).retryAfterMs).toBe(told);
});

test.each<readonly [error: unknown, failure: object]>([
  [createBadRequest("It is odd.", "Mend it."), { kind: "validation", hint: "Mend it.", status: 400 }],
  [
    createTapedeckError("tapedeck_miss", "none", { hint: "record" }),
    { kind: "not-recorded", message: "none", hint: "record" },
  ],
  [called("AbortError"), { kind: "cancelled", message: "The call was cancelled." }],
  [called("TimeoutError"), { kind: "timeout", message: "odd" }],
  [new Error("odd"), { kind: "unknown", message: "odd" }],
  [5, { kind: "unknown", message: "5" }],
  [chatError("empty", "none"), { kind: "empty", retryable: false }],
  [chatError("status", "conflict", { status: 409 }), { retryable: true }],
  [chatError("status", "gone", { status: 410 }), { retryable: false }],
  [chatError("status", "over", { status: 500 }), { retryable: true }],
  [chatError("status", "over", { status: 499 }), { retryable: false }],
  [chatError("status", "over", { status: 500, retryable: false }), { retryable: false }],
])("%s is a failure of a chat call", (error, failure) => {
  expect(asChatError(error)).toMatchObject({ ...failure, name: "ChatError" });
});
