import { isTapedeckError, wrongUsage } from "../../core/errors.ts";
import { openDeck, type Deck, type DeckOptions } from "../../deck/deck.ts";

/** A deck with addresses from the command line. @throws TapedeckError `tapedeck_usage` for one that is not allowed. */
export function openDeckAsAsked(options: DeckOptions): Deck {
  try {
    return openDeck(options);
  } catch (error) {
    // Only the addresses can be wrong here, and those are what the user wrote.
    throw isTapedeckError(error) ? wrongUsage(error.message, error.hint) : error;
  }
}
