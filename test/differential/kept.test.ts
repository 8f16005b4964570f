import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { comparedWith, KEPT_SEED, keptFile } from "./kept.ts";
import { SYSTEMS } from "./systems.ts";

const root = resolve(import.meta.dirname, "../..");

test.each(SYSTEMS.map((system) => [system.name, system] as const))(
  "%s: random inputs give what the original gave, but for documented differences",
  async (_, system) => {
    const kept = readFileSync(join(root, keptFile(system)), "utf8")
      .trim()
      .split("\n");
    const different: unknown[] = [];
    for (const [place, line] of kept.entries()) {
      const input = system.caseOf(KEPT_SEED + place);
      const { results, why } = await comparedWith(system, input, JSON.parse(line));
      if (results !== undefined && why === undefined) different.push({ input, ...results });
    }

    expect(kept.length).toBeGreaterThanOrEqual(100);
    expect(different).toEqual([]);
  },
);
