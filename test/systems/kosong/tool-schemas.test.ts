import { join } from "node:path";
import { expect, test } from "vitest";
import { findSchemaFault } from "../../../src/systems/kosong/json-schema.ts";
import { answersOf } from "../../support/page-of-answers.ts";

test("a schema is a JSON Schema, or has its first fault with the place, as the page has it", async () => {
  const page = join(import.meta.dirname, "tool-schemas.txt");
  const faults = await answersOf(page, (schema) => findSchemaFault(JSON.parse(schema)) ?? "a JSON Schema");

  await expect(faults).toMatchFileSnapshot(page);
});

test("a schema is an object or a boolean, of values that JSON has", () => {
  expect(findSchemaFault(5)).toBe('Instance type "number" is invalid. Expected "object", "boolean"');
  expect(findSchemaFault({ default: Number.NaN })).toBe("JSON cannot hold NaN at #.default");
});
