import { formatCount } from "../../core/base/plural.ts";
import { localize } from "../../core/base/localize.ts";

/** Number of rows that are shown at once; more are shown in pages. */
const PAGE = 500;

interface Page<T> {
  /** Part of the id of its row. */
  readonly id: string;
  readonly label: string;
  readonly items: readonly T[];
}

/** Divides many rows into pages; undefined if one page holds them. */
export function groupIntoPages<T>(items: readonly T[]): readonly Page<T>[] | undefined {
  if (items.length <= PAGE) return undefined;
  const starts = Array.from({ length: Math.ceil(items.length / PAGE) }, (_, index) => index * PAGE);
  return starts.map((start) => {
    const own = items.slice(start, start + PAGE);
    const label = localize("{0} to {1}", formatCount(start + 1), formatCount(start + own.length));
    return { id: `from ${start}`, label, items: own };
  });
}
