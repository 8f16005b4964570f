import { expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { tortures } from "./all.ts";

const SEED = 20_261_121;

it.each(tortures.map((torture) => [`${torture.name}: ${torture.promise}`, torture] as const))(
  "%s",
  async (_, torture) => {
    const asked = casesOf({ quick: torture.quick, long: torture.short });

    const { cases, failures, note } = await torture.run({ seed: SEED, cases: asked });

    console.log(
      `▸ ${torture.name}: ${cases} cases, ${failures.length} failures${note === undefined ? "" : ` (${note})`}`,
    );
    expect(failures).toEqual([]);
    expect(cases).toBe(asked);
  },
);
