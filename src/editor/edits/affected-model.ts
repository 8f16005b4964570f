import { groupBy } from "../../core/group-by.ts";
import type { ChunkChange } from "./chunk-changes-model.ts";
import { type Chunk, isNamesake, optionText, type SourceOption } from "./literals-model.ts";
import { type JsonTree, isJsonArray, isJsonObject } from "../../core/json/json-tree.ts";
import { FORMS, sourcesOf, standsIn, textsOf, withTexts, type Region } from "./request-texts-model.ts";

/** What a recording's tests can see of one kind of chunk, before and now, and what changed in the whole file. */
interface SeenChunks<C extends Chunk> {
  readonly before: readonly C[];
  readonly now: readonly C[];
  readonly changes: readonly ChunkChange<C>[];
}

/** A chunk that the request is made of and that changed. */
interface AffectedChunk<C extends Chunk> {
  readonly before: C;
  /** What stands in its place; undefined where nobody can say. */
  readonly now: C | undefined;
  /** False where the same text also stands in places that did not change. */
  readonly isCertain: boolean;
}

/** Each text that `isSent` tells a part of the request and that is there fewer times than before, once. */
function affectedChunks<C extends Chunk>(
  seen: SeenChunks<C>,
  isSent: (text: string) => boolean,
): readonly AffectedChunk<C>[] {
  const before = countChunks(seen.before);
  const now = countChunks(seen.now);
  const visible = new Set(seen.before);
  const sent = seen.changes.filter((change) => visible.has(change.before) && isSent(change.before.text));
  return groupBy(sent, (change) => change.before.text).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { text } = first.before;
    const left = now.get(text) ?? 0;
    // Only moved, to where the tests see it as well.
    if (left >= (before.get(text) ?? 0)) return [];
    const isCertain = left === 0;
    const isSame = others.every((other) => other.now?.text === first.now?.text);
    return [{ before: first.before, now: isCertain && isSame ? first.now : undefined, isCertain }];
  });
}

function countChunks(chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of chunks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** A literal that the request is made of and that changed, with where it stands in the request's texts. */
export interface AffectedLiteral extends AffectedChunk<Chunk> {
  readonly regions: readonly Region[];
}

export function affectedLiterals(body: JsonTree, seen: SeenChunks<Chunk>): readonly AffectedLiteral[] {
  const texts = textsOf(body);
  if (!seen.changes.some(({ before }) => standsIn(texts, before.text))) return [];
  const sources = sourcesOf(
    texts,
    seen.before.map(({ text }) => text),
  );
  return affectedChunks(seen, (text) => sources.has(text)).map((one) => ({
    ...one,
    regions: sources.get(one.before.text) ?? [],
  }));
}

/** The body with these literals as they are now; one of which nobody can say gets the text `unknown`. */
export function withLiterals(
  body: JsonTree,
  affected: readonly AffectedLiteral[],
  unknown: string,
): JsonTree {
  const edits = affected.flatMap(({ now, regions }) =>
    regions.map((region) => ({ region, text: applyForm(now?.text ?? unknown, region) })),
  );
  const after = textsOf(body).map(({ text }) => text);
  // From the end, so that what is before stays where it is.
  for (const { region, text } of edits.sort((a, b) => b.region.from - a.region.from)) {
    const whole = after[region.at] ?? "";
    after[region.at] = whole.slice(0, region.from) + text + whole.slice(region.to);
  }
  let at = 0;
  return withTexts(body, ({ text }) => after[at++] ?? text);
}

const applyForm = (text: string, { form }: Region): string => FORMS[form]?.(text) ?? text;

/** An option that the request has and that changed. */
export type AffectedOption = AffectedChunk<SourceOption>;

/** Name and value have to be a member's of the request: a number alone says nothing. */
export function affectedOptions(body: JsonTree, seen: SeenChunks<SourceOption>): readonly AffectedOption[] {
  const sent = new Set(membersOf(body));
  return affectedChunks(seen, (text) => sent.has(text)).map((one) => ({
    ...one,
    now: one.now && isNamesake(one.now, one.before) ? one.now : undefined,
  }));
}

/** The body with these options as they are now; one of which nobody can say gets the value `unknown`. */
export function withOptions(
  tree: JsonTree,
  affected: readonly AffectedOption[],
  unknown: JsonTree,
): JsonTree {
  if (isJsonArray(tree)) return tree.map((one) => withOptions(one, affected, unknown));
  if (tree === null || typeof tree !== "object" || !isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => {
      const text = optionText(name, value);
      const found = affected.find(({ before }) => before.text === text);
      return [name, found ? (found.now?.value ?? unknown) : withOptions(value, affected, unknown)];
    }),
  };
}

function* membersOf(tree: JsonTree): Generator<string> {
  if (isJsonArray(tree)) for (const one of tree) yield* membersOf(one);
  else if (tree !== null && typeof tree === "object" && isJsonObject(tree))
    for (const [name, value] of tree.members) {
      const text = optionText(name, value);
      if (text !== undefined) yield text;
      yield* membersOf(value);
    }
}
