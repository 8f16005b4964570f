import { expect } from "vitest";
import type { Workbench } from "../support/open-workbench.ts";

/** One picture of the README: what to do in a fresh workbench until it shows what the name says. */
export interface Picture {
  readonly name: string;
  readonly show: (bench: Workbench) => Promise<void>;
}

export const pictures: readonly Picture[] = [
  {
    name: "calls",
    show: async (bench) => {
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.openFile("tests/classify.test.ts");
      await expect.poll(() => bench.lenses()).not.toEqual([]);
    },
  },
];
