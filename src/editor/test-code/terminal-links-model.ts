import type { Key } from "../../core/call/call.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import type { CallTarget } from "../calls/call-node-model.ts";

/** A range of a terminal's line that leads to a call. Columns count UTF-16 units. */
export interface CallLink {
  readonly start: number;
  readonly length: number;
  readonly target: CallTarget;
}

/** The calls that a line may be about. */
export interface KnownCalls {
  readonly missing: readonly MissingCall[];
  /** The first take of a recording whose key fits; undefined where there is none. */
  firstEntry(fits: (key: Key) => boolean): string | undefined;
}

/** Longer lines are no messages of ours. */
const MAX_LINE = 20_000;

/** A key or an entry, whole, shortened, or as far as it stands on the line; and what stands alone on the next one. */
const KEYS =
  /\bsha256:([0-9a-f]{8,64})|\bcalls\/[\w.-]+\/[0-9a-f]{2}\/([0-9a-f]{8,64})(?:\.\d+)?(?:\.json)?|\b(?:key|nearest)\s+([0-9a-f]{8,64})…?|(?<![\w:/])([0-9a-f]{16,64})(?:(?:\.\d+)?\.json)?(?![\w])/gu;
const MISS = /No recording for this .{1,200}? call(?: \((["“].{1,400}?["”])\))?/gu;

/**
 * The places of a terminal's line that name a call: keys, entries, and the sentence with which a missing call fails.
 * Only what is known is a link; a key that a runner broke over two lines is recognised by either part of it.
 */
export function callLinks(line: string, known: KnownCalls): readonly CallLink[] {
  if (line.length > MAX_LINE) return [];
  const keys = [...line.matchAll(KEYS)].flatMap((match) => {
    const [whole, key, entry, short, part] = match;
    const target = targetOf(key ?? entry ?? short ?? part ?? "", part !== undefined, known);
    return target ? [{ start: match.index, length: whole.length, target }] : [];
  });
  const sentences = [...line.matchAll(MISS)].flatMap((match) => {
    const target = missIn(match, keys, known.missing);
    return target ? [{ start: match.index, length: match[0].length, target }] : [];
  });
  return [...keys, ...sentences].sort((a, b) => a.start - b.start);
}

/** What is missing comes first: its page says when it was recorded since. */
function targetOf(digits: string, isPart: boolean, known: KnownCalls): CallTarget | undefined {
  const fits = (key: Key): boolean =>
    isPart ? key.includes(digits) : key.startsWith(digits, "sha256:".length);
  const call = known.missing.find(({ miss }) => fits(miss.key));
  if (call) return { finding: call.id };
  const entry = known.firstEntry(fits);
  return entry === undefined ? undefined : { entry };
}

/** The call of a sentence: by the key behind it, else by what the sentence says of it. */
function missIn(
  match: RegExpExecArray,
  keys: readonly CallLink[],
  missing: readonly MissingCall[],
): CallTarget | undefined {
  const behind = keys.find(({ start }) => start > match.index);
  if (behind && "finding" in behind.target) return behind.target;
  const [, quoted] = match;
  const labelled =
    quoted === undefined
      ? []
      : missing.filter(({ miss }) => quoted.slice(1, -1).startsWith(bare(miss.label)));
  const call = labelled[0] ?? (missing.length === 1 ? missing[0] : undefined);
  return call ? { finding: call.id } : undefined;
}

const bare = (label: string): string => label.replace(/^["“]|["”]$/gu, "");
