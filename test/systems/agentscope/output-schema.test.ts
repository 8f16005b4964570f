import { expect, test } from "vitest";
import { checkOutputValue } from "../../../src/systems/agentscope/structured.ts";
import { given } from "../../client/bad-input/cells.ts";

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
