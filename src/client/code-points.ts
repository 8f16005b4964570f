/** How many Unicode code points a text has: a lone half of a surrogate pair counts as one. */
export const countCodePoints = (text: string): number => Array.from(text).length;

/** At most the first `count` code points; never half of a pair. */
export function firstCodePoints(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}
