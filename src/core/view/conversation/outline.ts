import type { Chain, ConversationTurn } from "./turns.ts";

/** A line of a list of calls, and the lines below it. */
export interface TurnLine<T> extends ConversationTurn<T> {
  /** Text that identifies the line: the request, the request and the response, or the number and the response. */
  readonly named: "asked" | "both" | "answered";
  readonly below: readonly TurnLine<T>[];
}

/**
 * Returns the conversations of a test as lines. A single conversation is a flat list. If there are several, each one
 * is its first line, with its other lines below. Branches are below the turn that they continue. `askedOf` returns
 * the label of a request, which shows whether single calls need their response to be distinguishable.
 */
export function layOutTurnLines<T>(
  chains: readonly Chain<T>[],
  askedOf: (call: T) => string,
): readonly TurnLine<T>[] {
  const [only, ...others] = chains;
  if (only && others.length === 0 && isConversation(only)) return chainLines(only);
  const times = new Map<string, number>();
  for (const { turns, branches } of chains) {
    if (turns.length > 1 || branches.length > 0) continue;
    const label = askedOf(turns[0].call);
    times.set(label, (times.get(label) ?? 0) + 1);
  }
  return chains.map((chain) => {
    if (isConversation(chain)) return headLine(chain);
    const [turn] = chain.turns;
    const isUnique = (times.get(askedOf(turn.call)) ?? 0) < 2;
    return { ...turn, named: isUnique ? "asked" : "both", below: [] };
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

/** Returns the first line of a conversation or a branch, with its other lines below. */
function headLine<T>(chain: Chain<T>): TurnLine<T> {
  const [first, ...rest] = chainLines(chain);
  if (first === undefined) throw new RangeError("A chain has a turn.");
  return rest.length === 0 ? first : { ...first, below: rest };
}

/** Returns the calls of the lines and of all lines below them. */
export function listCallsOfLines<T>(lines: readonly TurnLine<T>[]): readonly T[] {
  return lines.flatMap(({ call, below }) => [call, ...listCallsOfLines(below)]);
}
