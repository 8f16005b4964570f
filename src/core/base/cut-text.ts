/** Returns a text, or its beginning and "…" if it has more characters. Cuts between code points, so that no emoji is split. */
export function cutText(text: string, most: number): string {
  // A character has one or two code units, and the text can have megabytes.
  const beginning = text.slice(0, 2 * most + 1);
  if (beginning.length <= most) return text;
  const characters = SURROGATE.test(beginning) ? Array.from(beginning) : undefined;
  if (characters !== undefined && characters.length <= most) return text;
  const kept = characters?.slice(0, most - 1).join("") ?? beginning.slice(0, most - 1);
  return `${kept.trimEnd()}…`;
}

const SURROGATE = /[\ud800-\udfff]/;
