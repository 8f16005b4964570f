/** What a percent-encoded text says; the text itself where it is not encoded rightly. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
