import { expect, test } from "vitest";
import { checkOutputValue, readOutput } from "../../src/client/index.ts";
import { realSurroundings } from "../../src/client/surroundings.ts";
import { given } from "./bad-input/cells.ts";

const schema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a"],
};

test("faults of a structured answer are reported together, at most five", async () => {
  const items = { type: "array", items: { type: "number" } };

  await expect(readOutput({ schema }, '{"a":"x","b":"y"}')).rejects.toMatchObject({
    message:
      "The structured answer does not fit its schema: " +
      'Instance type "string" is invalid. Expected "number" at /a; ' +
      'Instance type "string" is invalid. Expected "number" at /b',
    where: "reply",
    retryable: true,
    answer: '{"a":"x","b":"y"}',
    hint: "Retry the call, or show the fault to the model.",
  });
  await expect(readOutput({ schema: items }, '["a","b","c","d","e","f"]')).rejects.toThrow(
    /^[^;]*(?:;[^;]*){4}$/,
  );
});

test("a sleep ends when its signal does, before it begins or while it lasts", async () => {
  const world = realSurroundings();
  const controller = new AbortController();
  const sleeping = world.sleep(60_000, controller.signal);
  controller.abort(new Error("left"));

  await expect(sleeping).rejects.toMatchObject({ kind: "cancelled", cause: { message: "left" } });
  await expect(world.sleep(60_000, controller.signal)).rejects.toMatchObject({ kind: "cancelled" });
  await world.sleep(0);
  expect(world.id()).toMatch(/^[0-9a-f]{32}$/);
  expect(Math.abs(world.now() - Date.now())).toBeLessThan(60_000);
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
