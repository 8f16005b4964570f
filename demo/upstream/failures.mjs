import { PRACTICE_KEY } from "./practice-key.mjs";

/** @typedef {import("./shapes.ts").Failure} Failure */

/** Model names that fail on purpose, so that errors can be tried out. @type {Readonly<Record<string, Failure>>} */
const failing = {
  "practice-needs-key": {
    status: 401,
    kind: "authentication",
    message: "You didn't provide an API key of your own.",
  },
  "practice-rate-limited": {
    status: 429,
    kind: "rate_limit",
    message: "Rate limit reached: try again in 1 second.",
    retryAfterSeconds: 1,
  },
  "practice-overloaded": { status: 529, kind: "overloaded", message: "Overloaded" },
  "practice-broken": {
    status: 500,
    kind: "server",
    message: "The server had an error while processing your request.",
  },
};

/**
 * Returns the failure that the model's name requests. `practice-needs-key` accepts any key except the practice key.
 * @param {import("./shapes.ts").RequestBody} body
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @returns {Failure | undefined}
 */
export function deliberateFailure(body, headers) {
  const model = String(body["model"]);
  const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer\s*/i, "");
  if (model === "practice-needs-key" && key && key !== PRACTICE_KEY) return undefined;
  return Object.hasOwn(failing, model) ? failing[model] : undefined;
}
