import { isTapedeckError, type TapedeckError, handleTapedeckErrors } from "../../core/base/errors.ts";
import type { Deck } from "../../deck/deck.ts";

/** The result of saving a written recording. */
type WrittenReply =
  | { readonly outcome: "kept" }
  /** Its secrets were removed from the file. */
  | { readonly outcome: "redacted" }
  /** It contained a secret, so the file was removed. */
  | { readonly outcome: "refused"; readonly error: TapedeckError };

/**
 * Applies the project's rules for secrets to a written recording after it is saved.
 * `beforeRemoval` preserves its text before the file is removed.
 */
export async function settleWritten(
  entry: string,
  { store, admit }: Pick<Deck, "store" | "admit">,
  beforeRemoval: () => Promise<void>,
): Promise<WrittenReply> {
  // An unreadable recording answers no call, and the editor marks its errors.
  const written = await store.read(entry).catch(handleTapedeckErrors(() => undefined));
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
