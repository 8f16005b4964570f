import type { JsonTree } from "../../core/json/json-tree.ts";
import { affectedChunks, type AffectedChunk, type SeenChunks } from "./affected-chunks-model.ts";
import type { Chunk } from "./literals-model.ts";
import { FORMS, sourcesOf, standsIn, textsOf, withTexts, type Region } from "./request-texts-model.ts";

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
    regions.map((region) => ({ region, text: formed(now?.text ?? unknown, region) })),
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

function formed(text: string, { form }: Region): string {
  return FORMS[form]?.(text) ?? text;
}
