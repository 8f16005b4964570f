/** A number that people read: "20,000". One format in every place, whatever the machine's language is. */
export function countText(count: number): string {
  // Without the words of all languages, which take 10 ms to be there.
  return String(count).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));
}

/** "1 call", "2 calls", "3 entries". */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : many}`;
}
