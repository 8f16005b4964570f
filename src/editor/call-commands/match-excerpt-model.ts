/** Characters shown before and after the word that was found. */
const BEFORE = 30;
const AFTER = 60;

/**
 * Returns the part of a recording that contains what a person typed: for the first of `words` that `shown`, the rest of
 * the row, does not contain. Undefined if the row contains them all, or the kept text does not have the word. All texts
 * are lower-case.
 */
export function matchExcerpt(
  words: readonly string[],
  { shown, text }: { readonly shown: string; readonly text: string },
): string | undefined {
  for (const word of words) {
    const at = shown.includes(word) ? -1 : text.indexOf(word);
    if (at < 0) continue;
    const start = wordStart(text, at);
    const end = wordEnd(text, at + word.length);
    const excerpt = text.slice(start, end).replace(/\s+/gu, " ").trim();
    return `${start > 0 ? "…" : ""}${excerpt}${end < text.length ? "…" : ""}`;
  }
  return undefined;
}

function wordStart(text: string, at: number): number {
  const start = Math.max(0, at - BEFORE);
  if (start === 0) return 0;
  const blank = text.slice(start, at).search(/\s/u);
  return blank < 0 ? start : start + blank + 1;
}

function wordEnd(text: string, at: number): number {
  const end = at + AFTER;
  if (end >= text.length) return text.length;
  const blank = text.slice(at, end).search(/\s\S*$/u);
  return blank < 0 ? end : at + blank;
}
