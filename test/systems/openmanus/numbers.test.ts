import { expect, test } from "vitest";
import { readSettings } from "../../../src/systems/openmanus/index.ts";

const read = (value: unknown): number =>
  readSettings({
    file: { llm: { model: "m", base_url: "https://a.test", api_key: "k", max_tokens: value } },
  })["default"]!.max_tokens;

// Each as Pydantic 2 gives it.
test.each([
  ["1_0", 10],
  [true, 1],
  [" 12 ", 12],
  ["10.0", 10],
])("%o is the integer %i", (value, integer) => {
  expect(read(value)).toBe(integer);
});

test.each(["1__0", "_10", "0x10", "1e3", "10.5"])("%o is no integer", (value) => {
  expect(() => read(value)).toThrow("unable to parse string as an integer");
});
