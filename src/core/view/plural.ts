/** `1 call`, `2 calls`; `nouns` where many are not called by an s. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
