import { tryParseJson } from "../../base/json/json-parse.ts";
import { isJsonArray, isJsonObject, type JsonTree } from "../../base/json/json-tree.ts";

/** A text with embedded JSON, split into its words and its JSON values. */
interface TextWithJson {
  /** Its words, with `JSON n` in the place of each value. */
  readonly words: string;
  readonly values: readonly EmbeddedJson[];
}

interface EmbeddedJson {
  readonly text: string;
  readonly tree: JsonTree;
}

/** Longer texts, more looks at their characters and shorter values are not worth the search. */
const LONGEST = 262_144;
const MOST_LOOKS = 1_000_000;
const SHORTEST = 6;
/** Code has brackets, too, but seldom these. */
const BEGINNING = /\{(?=\s*")|\[(?=\s*["{[\d-])/g;

/** The objects and lists in a text that are JSON and hold something, outermost ones; undefined where there are none. */
export function takeOutJson(text: string): TextWithJson | undefined {
  if (text.length > LONGEST) return undefined;
  const values: EmbeddedJson[] = [];
  let words = "";
  let from = 0;
  let looks = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < from) continue;
    if (looks > MOST_LOOKS) break;
    const end = closingEnd(text, index);
    looks += (end ?? text.length) - index;
    const value = end === undefined || end - index < SHORTEST ? undefined : readValue(text.slice(index, end));
    if (value === undefined || end === undefined) continue;
    values.push(value);
    words += `${text.slice(from, index)}\nJSON ${values.length}\n`;
    from = end;
  }
  return values.length === 0 ? undefined : { words: words + text.slice(from), values };
}

function readValue(text: string): EmbeddedJson | undefined {
  const tree = tryParseJson(text);
  if (tree === undefined) return undefined;
  const isFull = isJsonArray(tree) ? tree.length > 0 : isJsonObject(tree) && tree.members.length > 0;
  return isFull ? { text, tree } : undefined;
}

/** Behind the bracket that closes the one at `start`; brackets in strings do not count. */
function closingEnd(text: string, start: number): number | undefined {
  const brackets = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gsy;
  const any = /["{}[\]]/g;
  let depth = 0;
  for (let at = start; ;) {
    any.lastIndex = at;
    const next = any.exec(text)?.index;
    if (next === undefined) return undefined;
    brackets.lastIndex = next;
    const [found] = brackets.exec(text) ?? [];
    if (found === undefined) return undefined;
    if (found === "{" || found === "[") depth += 1;
    else if (found === "}" || found === "]") depth -= 1;
    at = next + found.length;
    if (depth === 0) return at;
  }
}
