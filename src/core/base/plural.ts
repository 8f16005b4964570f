/** A number that people read: "20,000". One format in every place, whatever the machine's language is. */
export const countText = (count: number): string => groupDigits(String(count));

/** A number that is written already; without the words of all languages, which take 10 ms to be there. */
export const groupDigits = (digits: string): string =>
  digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));

/** "1 call", "2 calls", "3 entries". */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : many}`;
}

/** A number of bytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
