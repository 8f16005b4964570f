/** What a thrown value says: an error its message, anything else itself. */
export const thrownText = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
