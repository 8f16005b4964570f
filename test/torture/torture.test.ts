import { expect, it } from "vitest";
import { tortures } from "./all.ts";

const SEED = 20_261_121;
/** Every run of the tests makes this share of what is made where a protection is missing. */
const SHARE = 0.5;

it.each(tortures.map((torture) => [`${torture.name}: ${torture.promise}`, torture] as const))(
  "%s",
  { timeout: 600_000 },
  async (_, torture) => {
    const wanted = torture.short * SHARE;

    const { cases, failures, note } = await torture.run({ seed: SEED, cases: wanted });

    console.log(
      `▸ ${torture.name}: ${cases} cases, ${failures.length} failures${note === undefined ? "" : ` (${note})`}`,
    );
    expect(failures).toEqual([]);
    // Some are made in rounds of many.
    expect(cases).toBeGreaterThanOrEqual(wanted);
  },
);
