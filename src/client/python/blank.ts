/** What Python's `str.strip()` and `\\s` take for blank: more than JavaScript's do, and no byte order mark. */
export const BLANK = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const LEADING = new RegExp(`^${BLANK}+`);

export const pythonStrip = (text: string): string => pythonRightStrip(text.replace(LEADING, ""));

export const isBlank = (text: string): boolean => text.replace(LEADING, "") === "";

/** Python's `str.split()`: what stands between blanks. */
export function pythonWords(text: string): readonly string[] {
  return text.split(new RegExp(`${BLANK}+`)).filter((word) => word !== "");
}

/** From the end, by hand: a pattern that is anchored at the end alone would look from every blank. */
export function pythonRightStrip(text: string): string {
  const tail = new RegExp(BLANK);
  let end = text.length;
  while (tail.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Python's `str.splitlines()`: also vertical tab, form feed, U+001C to U+001E, U+0085, U+2028 and U+2029 end a line. */
export function pythonLines(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- controls are what ends a line
  const lines = text.split(/\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
