import { expect, test } from "vitest";
import { findUsedIds } from "../../../src/core/match/origins/used-ids.ts";
import { findOccurrences } from "../../../src/core/match/origins/values.ts";
import { replaceInBody } from "../../../src/core/secrets/redact-body.ts";
import { formatOrigins } from "../../../src/core/view/miss.ts";

const MANY = 50_000;

test("the ids of a long conversation are found in one pass", () => {
  const links = Array.from({ length: MANY }, (_, at) => ({
    text: `call_${at}`,
    origin: "call 1 of 3f9a2c41d07b",
  }));
  const input = links.map(({ text }) => ({ prompt: { id: text }, call_id: text }));
  const body = Buffer.from(JSON.stringify({ input }));

  const { needed } = findUsedIds({ method: "POST", path: "/v1/responses", body }, links);

  expect(needed.size).toBe(MANY);
});

test("many values are found in a long text in one pass", () => {
  const values = Array.from({ length: MANY }, (_, at) => ({
    text: `call_${at.toString(36).padStart(24, "x")}`,
    origin: "call 1 of 3f9a2c41d07b",
  }));
  const text = values.map((value) => `The result of ${value.text} is known.`).join("\n");

  expect(findOccurrences(text, values)).toHaveLength(MANY);
});

test("a value that a reply repeats many times is replaced in one pass", () => {
  const repeat = (date: string): Buffer => Buffer.from(JSON.stringify({ text: `${date} `.repeat(MANY * 4) }));

  const replaced = replaceInBody(repeat("2026-11-27"), [{ value: "2026-11-27", by: "2026-12-01" }]);

  expect(Buffer.from(replaced).equals(repeat("2026-12-01"))).toBe(true);
});

test("a long word that differs is searched for an id in one pass", () => {
  const word = "a".repeat(MANY * 10);
  const difference = { at: "/user", kind: "changed", recorded: word, asked: word, text: "" } as const;

  expect(formatOrigins([difference])).toBe("");
});
