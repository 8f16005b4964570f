/** Counts the Unicode code points of a text; a lone surrogate counts as one. */
export const countCodePoints = (text: string): number => Array.from(text).length;

/** Returns at most the first `count` code points without splitting a surrogate pair. */
export function takeCodePoints(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}
