import { expect } from "vitest";
import type { Workbench } from "../support/open-workbench.ts";

/** Opens a group and waits until its rows are there: two clicks in a row would be a double click. */
export async function unfold(bench: Workbench, row: string, inner: string): Promise<void> {
  await bench.clickRow(row);
  await expect.poll(() => bench.treeRows().then((lines) => lines.join("\n"))).toContain(inner);
}
