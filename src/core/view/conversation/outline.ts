import type { Chain, ConversationTurn } from "./turns.ts";

/** A line of a list of calls, and the lines below it. */
export interface TurnLine<T> extends ConversationTurn<T> {
  /** How it is told apart: by what was asked, by that and the answer, or by its number and the answer. */
  readonly named: "asked" | "both" | "answered";
  readonly below: readonly TurnLine<T>[];
}

/**
 * The conversations of a test as lines. One alone is a plain list; of several, each is its first line with the others
 * below. Branches stand below the turn where they part. `askedOf` gives what a call asks, to tell single ones apart.
 */
export function linesOf<T>(
  chains: readonly Chain<T>[],
  askedOf: (call: T) => string,
): readonly TurnLine<T>[] {
  const [only, ...others] = chains;
  if (only && others.length === 0 && isConversation(only)) return chainLines(only);
  const times = new Map<string, number>();
  for (const { turns, branches } of chains) {
    if (turns.length > 1 || branches.length > 0) continue;
    const asked = askedOf(turns[0].call);
    times.set(asked, (times.get(asked) ?? 0) + 1);
  }
  return chains.map((chain) => {
    if (isConversation(chain)) return headLine(chain);
    const [turn] = chain.turns;
    const isTold = (times.get(askedOf(turn.call)) ?? 0) < 2;
    return { ...turn, named: isTold ? "asked" : "both", below: [] };
  });
}

const isConversation = <T>({ turns, branches }: Chain<T>): boolean => turns.length > 1 || branches.length > 0;

function chainLines<T>({ turns, branches }: Chain<T>): readonly TurnLine<T>[] {
  const last = turns.length - 1;
  return turns.map((turn, at) => ({
    ...turn,
    named: "answered",
    below: at === last ? branches.map(headLine) : [],
  }));
}

/** The first line of a conversation or a branch, with all others of it below. */
function headLine<T>(chain: Chain<T>): TurnLine<T> {
  const [first, ...rest] = chainLines(chain);
  if (first === undefined) throw new RangeError("A chain has a turn.");
  return rest.length === 0 ? first : { ...first, below: rest };
}

/** The calls of lines and of all below them. */
export function callsIn<T>(lines: readonly TurnLine<T>[]): readonly T[] {
  return lines.flatMap(({ call, below }) => [call, ...callsIn(below)]);
}
