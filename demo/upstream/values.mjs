import { randomBytes } from "node:crypto";

/** @param {unknown} value @returns {readonly unknown[]} */
export const list = (value) => (Array.isArray(value) ? value : []);

/** @param {unknown} value @returns {Readonly<Record<string, unknown>>} */
export const record = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : {};

/** @param {unknown} value */
export const text = (value) => (typeof value === "string" ? value : "");

/** Returns the text of a message's content: a string, or the text parts of a list. @param {unknown} content */
export const contentText = (content) =>
  typeof content === "string"
    ? content
    : list(content)
        .map((part) => text(record(part)["text"]))
        .filter(Boolean)
        .join("\n");

/** Returns the approximate number of tokens. @param {string} value */
export const countTokens = (value) => Math.ceil(value.length / 4);

/** Returns the cost of an answer. @param {import("./shapes.ts").Answer} answer */
export const answerTokens = ({ text: reply, calls }) =>
  countTokens(reply) + (calls.length > 0 ? countTokens(JSON.stringify(calls)) : 0);

/** Cuts a text as a stream would: a few letters at a time. Joined, the pieces are the text. @param {string} value */
export const pieces = (value) => value.match(/\s*\S{1,7}|\s+/g) ?? [];

/** An id like the provider's own: never the same twice. @param {string} prefix @param {number} length */
export function freshId(prefix, length) {
  const letters = randomBytes(length * 2)
    .toString("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "");
  return prefix + letters.slice(0, length);
}
