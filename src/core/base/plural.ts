import { localize } from "./localize.ts";

/** A number that people read: "20,000". One format in every place, whatever the machine's language is. */
export const countText = (count: number): string => groupDigits(String(count));

/** A number that is written already; without the words of all languages, which take 10 ms to be there. */
export const groupDigits = (digits: string): string =>
  digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));

/** "1 call", "2 calls", "3 entries". */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : many}`;
}

/**
 * Returns a text with a count in it, in the language of this program: `localizeCount(n, "{0} call", "{0} calls")`. {0} is the
 * count, {1} the first of `values`.
 */
export function localizeCount(
  count: number,
  one: string,
  many: string,
  ...values: readonly (string | number)[]
): string {
  return localize(count === 1 ? one : many, countText(count), ...values);
}

/** A number of bytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
