import { expect, it } from "vitest";
import { processInPortions } from "../../../src/core/base/portions.ts";

const items = Array.from({ length: 100 }, (_, index) => index);

it("works on the next items while one takes long, and gives all in their order", async () => {
  const done = new Set<number>();
  let end = (): void => {};
  const long = new Promise<void>((resolve) => (end = resolve));

  const results = await processInPortions(items, async (item) => {
    if (item === 0) await long;
    done.add(item);
    if (done.size === items.length - 1) end();
    return item * 2;
  });

  expect(results).toEqual(items.map((item) => item * 2));
  expect([...done].at(-1)).toBe(0);
});

it("begins no further ones after a failure", async () => {
  const begun: number[] = [];
  const work = processInPortions(items, async (item) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 3) throw new Error("the fourth");
  });

  await expect(work).rejects.toThrow("the fourth");
  expect(begun.length).toBeLessThan(50);
});
