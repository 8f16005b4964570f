import { localize } from "./localize.ts";

/** Formats a count with grouped digits: "20,000". The format is the same in every language. */
export const formatCount = (count: number): string => groupDigits(String(count));

/** Groups the digits of a written number. Not `Intl.NumberFormat`, which takes 10 ms to load. */
export const groupDigits = (digits: string): string =>
  digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));

/** Formats a count with its noun: "1 call", "2 calls", "3 entries". */
export function formatPlural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
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
  return localize(count === 1 ? one : many, formatCount(count), ...values);
}

/** Formats a number of bytes: "512 bytes", "48 KB", "1.2 MB". */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return localizeCount(bytes, "{0} byte", "{0} bytes");
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
