/** White space of Python's `str.strip()` and `\\s`: more than in JavaScript, but without the byte order mark. */
export const BLANK = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING = new RegExp(`^${BLANK}+`);

export const stripLikePython = (text: string): string => stripRightLikePython(text.replace(LEADING, ""));

export const isBlank = (text: string): boolean => text.replace(LEADING, "") === "";

/** Splits like Python's `str.split()`. */
export function splitWordsLikePython(text: string): readonly string[] {
  return text.split(new RegExp(`${BLANK}+`)).filter((word) => word !== "");
}

/** Strips like Python's `str.rstrip()`. Uses a loop, because a pattern with `$` would start at each white space. */
export function stripRightLikePython(text: string): string {
  const tail = new RegExp(BLANK);
  let end = text.length;
  while (tail.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Splits like Python's `str.splitlines()`: vertical tab, form feed, U+001C to U+001E, U+0085, U+2028, and U+2029 end lines too. */
export function splitLinesLikePython(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- control characters end lines
  const lines = text.split(/\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
