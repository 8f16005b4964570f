/** A text with its percent escapes undone, each run of them by itself; one that is none stays. */
export function withoutPercentEscapes(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, percentDecoded);
}

/** What a percent-encoded text says; the text itself where it is not encoded rightly. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
