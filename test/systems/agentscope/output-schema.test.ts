import { expect, test } from "vitest";
import { checkOutputValue, jsonSchemaOf } from "../../../src/systems/agentscope/output-schema.ts";
import { failureOf, given } from "../../client/bad-input/cells.ts";

const schema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a"],
};

test("faults of a structured answer are reported together, at most five", async () => {
  const items = { type: "array", items: { type: "number" } };

  await expect(checkOutputValue({ schema }, { a: "x", b: "y" })).rejects.toMatchObject({
    message:
      "The structured answer does not fit its schema: " +
      'Instance type "string" is invalid. Expected "number" at /a; ' +
      'Instance type "string" is invalid. Expected "number" at /b',
    where: "reply",
    retryable: true,
    answer: '{"a":"x","b":"y"}',
    hint: "Retry the call, or show the fault to the model.",
  });
  await expect(checkOutputValue({ schema: items }, ["a", "b", "c", "d", "e", "f"])).rejects.toThrow(
    /^[^;]*(?:;[^;]*){4}$/,
  );
});

test("five faults of a structured answer are reported, with steps as bare keys or as separate keys", async () => {
  const properties = Object.fromEntries(Array.from("abcdefg", (name) => [name, { type: "null" }]));
  const value = Object.fromEntries(Array.from("abcdefg", (name) => [name, 1]));
  const stepped = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: () => ({ issues: [{ message: "no", path: ["a", { key: "b" }] }, { message: "none" }] }),
      jsonSchema: { input: () => ({}), output: () => ({}) },
    },
  };

  await expect(checkOutputValue({ schema: { properties } }, value)).rejects.toThrow(/at \/e$/);
  await expect(checkOutputValue({ schema: given(stepped) }, 1)).rejects.toThrow(
    "output.a.b: no; output: none",
  );
});

test.each<readonly [how: string, input: () => unknown, says: string]>([
  [
    "says why",
    () => {
      throw new Error("a date is none");
    },
    "output.schema: it has no JSON Schema: a date is none",
  ],
  [
    "throws a text",
    () => {
      throw "none";
    },
    "output.schema: it has no JSON Schema: none",
  ],
  ["gives none", () => undefined, "output.schema: it has no JSON Schema"],
])("a library's schema that %s is refused with its place", async (_, input, says) => {
  const unwritable = {
    "~standard": { version: 1, vendor: "v", validate: () => ({ value: 1 }), jsonSchema: { input } },
  };

  await expect(failureOf(() => jsonSchemaOf({ schema: given(unwritable) }))).resolves.toMatchObject({
    message: says,
    where: "output.schema",
  });
});
