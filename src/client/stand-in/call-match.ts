import type { CallMatch, Times } from "../../core/call/mocks.ts";
import { readProtocolRequest } from "../../core/match/read-request.ts";
import type { Exchange } from "../../core/match/read-request.ts";

/** Entries with a limited number of uses, in order. */
export interface Turns<T> {
  /** Returns the first unused entry that matches a call, and counts one use. */
  next(exchange: Exchange): { readonly entry: T; readonly number: number } | undefined;
  /** Number of entries with uses left. */
  readonly left: number;
}

type Entry = CallMatch & { readonly times?: Times };

/** Makes turns from entries. `isHit` can reject an entry that matches. */
export function createTurns<T extends Entry>(
  entries: readonly T[],
  isHit: (entry: T) => boolean = () => true,
): Turns<T> {
  const all = entries.map((entry, index) => {
    const { times = 1 } = entry;
    return { entry, number: index + 1, left: times === "always" ? Infinity : times };
  });
  const leftOver = (): typeof all => all.filter(({ left }) => left > 0);
  return {
    next(exchange) {
      const texts = textsOf(exchange);
      const turn = leftOver().find(({ entry }) => fits(entry, exchange, texts) && isHit(entry));
      if (turn !== undefined) turn.left -= 1;
      return turn;
    },
    get left() {
      return leftOver().length;
    },
  };
}

export function fits(
  { provider, model, text, test }: CallMatch,
  { provider: called, facts, call }: Exchange,
  texts: () => readonly string[],
): boolean {
  if (provider !== undefined && provider !== called.name) return false;
  if (model !== undefined && model !== facts.model) return false;
  if (test !== undefined && call.test?.name.join(" ").includes(test) !== true) return false;
  return text === undefined || texts().some((one) => one.includes(text));
}

/** Returns a function that reads the texts of a request on demand. */
function textsOf(exchange: Exchange): () => readonly string[] {
  let texts: readonly string[] | undefined;
  return () =>
    (texts ??= exchange.protocol
      .conversation(readProtocolRequest(exchange))
      .messages.flatMap(({ parts }) => parts.flatMap((part) => ("text" in part ? [part.text] : []))));
}
