import { expect, test } from "vitest";
import { showValue } from "../../src/client/json/plain.ts";
import { listDictEntries, getDictValue, isDict } from "../../src/client/python/value.ts";

test("a value that JSON cannot hold is shown by its kind", () => {
  const circle: unknown[] = [];
  circle.push(circle);

  const values = [circle, { circle }, () => 0, Symbol("s"), 5n, undefined, "x".repeat(90)];
  expect(values.map(showValue).join(", ")).toBe(
    `a list, an object, a function, a symbol, 5, undefined, "${"x".repeat(79)}…`,
  );
});

test("a dict of Python is a plain object or a map", () => {
  const map = new Map<unknown, unknown>([
    [1, "a"],
    ["b", 2],
  ]);

  expect(listDictEntries(map)).toEqual([
    ["1", "a"],
    ["b", 2],
  ]);
  expect([getDictValue(map, "b"), getDictValue({ b: 3 }, "b"), getDictValue({}, "toString")]).toEqual([
    2,
    3,
    undefined,
  ]);
  expect([map, {}, Object.create(null)].every(isDict)).toBe(true);
  expect([[], new Date(), null, "x"].some(isDict)).toBe(false);
});
