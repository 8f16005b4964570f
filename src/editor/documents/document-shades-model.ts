/** A range of a line that is less important than the text: columns in UTF-16 units, `end` exclusive. */
interface Shade {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

const RULE = /^(── )(.+?)( ─{3,}.*)$/u;
const LABEL =
  /^(?:used by|made by|Called in|file|Record it:)(?=\s)|\bkey [0-9a-f]{8,}…|\(?\brecorded (?!by\b).*$/gu;

/**
 * What is drawn in a muted colour: rules, their facts, the header's labels. A grammar cannot say "muted", since
 * themes have no scope for it. `sections` are the first lines of the sections, in order.
 */
export function shadesOf(text: string, sections: readonly { readonly line: number }[]): readonly Shade[] {
  const lines = text.split("\n");
  const header = lines.slice(0, sections[0]?.line ?? 0);
  return [
    ...header.flatMap((content, line) =>
      [...content.matchAll(LABEL)].map((match) => ({
        line,
        start: match.index,
        end: match.index + match[0].length,
      })),
    ),
    ...sections.flatMap(({ line }) => ruleShades(lines[line] ?? "", line)),
  ];
}

/** The words that changed, in the lines above the first section: what the recording has, and what was asked. */
export function changesOf(
  text: string,
  sections: readonly { readonly line: number }[],
): { readonly removed: readonly Shade[]; readonly added: readonly Shade[] } {
  const header = text.split("\n").slice(0, sections[0]?.line ?? 0);
  const all = (pattern: RegExp): readonly Shade[] =>
    header.flatMap((content, line) =>
      content.startsWith("        ")
        ? [...content.matchAll(pattern)].map(({ index, 0: word }) => ({
            line,
            start: index,
            end: index + word.length,
          }))
        : [],
    );
  return { removed: all(/\[-.*?-\]/gu), added: all(/\{\+.*?\+\}/gu) };
}

function ruleShades(content: string, line: number): readonly Shade[] {
  const [, before, title, after] = RULE.exec(content) ?? [];
  if (before === undefined || title === undefined || after === undefined) return [];
  const start = before.length + title.length;
  return [
    { line, start: 0, end: before.length },
    { line, start, end: start + after.length },
  ];
}
