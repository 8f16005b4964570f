import { isTapedeckError, type TapedeckError, whereOurs } from "../../core/base/errors.ts";
import type { Deck } from "../../deck/deck.ts";

/** What became of a recording that a person wrote and saved. */
type WrittenReply =
  | { readonly outcome: "kept" }
  /** It was saved with secrets and stands there without them now. */
  | { readonly outcome: "redacted" }
  /** It held a secret and was taken away. */
  | { readonly outcome: "refused"; readonly error: TapedeckError };

/**
 * Holds a recording that a person wrote to what the project says about secrets, once it is saved.
 * `beforeRemoval` is what keeps its text from being lost.
 */
export async function settleWritten(
  entry: string,
  { store, admit }: Pick<Deck, "store" | "admit">,
  beforeRemoval: () => Promise<void>,
): Promise<WrittenReply> {
  // What cannot be read answers no call, and is said where it is wrong.
  const written = await store.read(entry).catch(whereOurs(() => undefined));
  if (written === undefined) return { outcome: "kept" };
  try {
    const admitted = await admit(written);
    if (admitted === written) return { outcome: "kept" };
    await store.replace(entry, admitted);
    return { outcome: "redacted" };
  } catch (error) {
    if (!isTapedeckError(error) || error.code !== "tapedeck_refused") throw error;
    await beforeRemoval();
    await store.remove(entry);
    return { outcome: "refused", error };
  }
}
