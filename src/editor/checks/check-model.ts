/**
 * Whether a file was written after a check began at `checkedAt`, whole milliseconds since the epoch. File systems tell
 * fractions of them: what was written in the millisecond in which the check began was there when it looked.
 */
export function isWrittenAfter({ mtimeMs }: { readonly mtimeMs: number }, checkedAt: number): boolean {
  return Math.floor(mtimeMs) > checkedAt;
}
