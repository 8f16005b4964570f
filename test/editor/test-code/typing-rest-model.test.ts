import { describe, expect, it } from "vitest";
import { createTypingRest } from "../../../src/editor/test-code/typing-rest-model.ts";

/** A person types a key every 100 ms for a second while somebody waits for a pause. */
async function typeWhileWaiting(
  took: number,
): Promise<{ readonly pausedAt: number; readonly looks: number }> {
  let now = 0;
  let looks = 0;
  const rest = createTypingRest({
    now: () => now,
    wait: async (ms) => {
      looks += 1;
      const until = now + ms;
      while (now < until) {
        now += 1;
        if (now % 100 === 0 && now <= 1_000) rest.edited("a.test.ts");
      }
    },
  });
  rest.took("a.test.ts", took);
  rest.edited("a.test.ts");
  await rest.rested("a.test.ts");
  return { pausedAt: now, looks };
}

describe("a file with tests that is being edited", () => {
  it("is looked at once, after the last key", async () => {
    expect((await typeWhileWaiting(5)).pausedAt).toBe(1_250);
  });

  it("is looked at later where a look takes long", async () => {
    expect((await typeWhileWaiting(900)).pausedAt).toBe(1_900);
    expect((await typeWhileWaiting(60_000)).pausedAt).toBe(3_000);
  });

  it("is looked at immediately where nobody edited it, and not waited for once nobody asks", async () => {
    const rest = createTypingRest({ now: () => 0, wait: () => Promise.reject(new Error("waited")) });

    await rest.rested("a.test.ts");
    rest.edited("a.test.ts");
    await expect(rest.rested("a.test.ts", () => true)).resolves.toBeUndefined();
  });
});
