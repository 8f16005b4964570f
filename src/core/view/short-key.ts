const DIGITS = 8;

/** The beginning of a key, enough to name it to `show`: "3f9a2c41". */
export function keyDigits(key: string): string {
  const start = "sha256:".length;
  return key.slice(start, start + DIGITS);
}

/** A key for a reader: "3f9a2c41…". */
export function shortKey(key: string): string {
  return `${keyDigits(key)}…`;
}
