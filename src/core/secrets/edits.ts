import { isJsonContainer, literalsOf } from "./string-literals.ts";
import { placeholderOf, type Secret } from "./scanner.ts";

/** A piece of a text that another one takes the place of. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** JSON within a string of JSON within …: deeper than this it is text. */
const DEEPEST = 4;

/**
 * What takes secrets out of a text, in order and without overlaps. JSON stays JSON, also within its strings: only
 * what a string says is changed.
 */
export function editsOf(text: string, secrets: readonly Secret[], depth = 0): readonly Edit[] {
  if (depth > DEEPEST || !isJsonContainer(text)) return occurrences(text, secrets);
  return literalsOf(text).flatMap(({ start, end, value }) => {
    const inside = editsOf(value, secrets, depth + 1);
    if (inside.length === 0) return [];
    if (end - start - 2 === value.length)
      return inside.map((edit) => ({ ...edit, start: edit.start + start + 1, end: edit.end + start + 1 }));
    return [{ start, end, by: JSON.stringify(applied(value, inside)) }];
  });
}

export function applied(text: string, edits: readonly Edit[]): string {
  let done = "";
  let from = 0;
  for (const { start, end, by } of edits) {
    done += text.slice(from, start) + by;
    from = end;
  }
  return from === 0 ? text : done + text.slice(from);
}

/** Where one stands within another, the longer one is taken out. */
function occurrences(text: string, secrets: readonly Secret[]): readonly Edit[] {
  const taken: Edit[] = [];
  for (const secret of secrets.toSorted((a, b) => b.value.length - a.value.length)) {
    const { length } = secret.value;
    for (let at = text.indexOf(secret.value); at >= 0; at = text.indexOf(secret.value, at + length)) {
      const end = at + length;
      if (taken.some((edit) => edit.start < end && at < edit.end)) continue;
      taken.push({ start: at, end, by: placeholderOf(secret) });
    }
  }
  return taken.sort((a, b) => a.start - b.start);
}
