import type { CallMatch, Times } from "../../core/call/mocks.ts";
import { protocolRequest } from "../../core/match/read-request.ts";
import type { Exchange } from "../../core/match/read-request.ts";

/** Of a list, the first that fits a call and is not used up; it counts as used once more. */
export interface Turns<T> {
  next(exchange: Exchange): { readonly entry: T; readonly number: number } | undefined;
  /** How many are not used up. */
  readonly left: number;
}

type Entry = CallMatch & { readonly times?: Times };

/** `isHit` has the last word on an entry that fits. */
export function turnsOf<T extends Entry>(
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
      const said = textsOf(exchange);
      const turn = leftOver().find(({ entry }) => fits(entry, exchange, said) && isHit(entry));
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
  { provider: asked, facts, call }: Exchange,
  said: () => readonly string[],
): boolean {
  if (provider !== undefined && provider !== asked.name) return false;
  if (model !== undefined && model !== facts.model) return false;
  if (test !== undefined && call.test?.name.join(" ").includes(test) !== true) return false;
  return text === undefined || said().some((own) => own.includes(text));
}

/** The texts of a request, read where something asks for them. */
function textsOf(exchange: Exchange): () => readonly string[] {
  let texts: readonly string[] | undefined;
  return () =>
    (texts ??= exchange.protocol
      .conversation(protocolRequest(exchange))
      .messages.flatMap(({ parts }) => parts.flatMap((part) => ("text" in part ? [part.text] : []))));
}
