import { expect, test } from "vitest";
import { comparedWith, keptResults } from "./kept.ts";
import { SYSTEMS } from "./systems.ts";

test.each(SYSTEMS.map((system) => [system.name, system] as const))(
  "%s: random inputs give the original's results, except documented differences",
  async (_, system) => {
    const kept = keptResults(system);
    const different: unknown[] = [];
    for (const { input, gave } of kept) {
      const { results, why } = await comparedWith(system, input, gave);
      if (results !== undefined && why === undefined) different.push({ input, ...results });
    }

    expect(kept.length).toBeGreaterThanOrEqual(100);
    expect(different).toEqual([]);
  },
);
