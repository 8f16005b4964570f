import { finish, type Steps } from "../steps.ts";
import { isJsonText, literalsIn } from "./string-literals.ts";
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
export function editsOf(text: string, secrets: readonly Secret[]): readonly Edit[] {
  return finish(editsIn(text, secrets));
}

/** The same in steps. */
export function* editsIn(text: string, secrets: readonly Secret[], depth = 0): Steps<readonly Edit[]> {
  const literals = depth > DEEPEST || !isJsonText(text) ? undefined : yield* literalsIn(text);
  if (literals === undefined) return occurrences(text, secrets);
  const edits: Edit[] = [];
  for (const { start, end, value } of literals) {
    const inside = yield* editsIn(value, secrets, depth + 1);
    if (inside.length === 0) continue;
    if (end - start - 2 !== value.length)
      edits.push({ start, end, by: JSON.stringify(applyEdits(value, inside)) });
    else
      for (const edit of inside)
        edits.push({ ...edit, start: edit.start + start + 1, end: edit.end + start + 1 });
  }
  return edits;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
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
