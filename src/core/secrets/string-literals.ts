import { jsonOrNone } from "../json/json-parse.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../json/json-tree.ts";

/** A string within a text of JSON: where its quotes stand (`end` is behind the second) and what it says. */
export interface StringLiteral {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** A literal that is a value, and where in the JSON it is. */
export interface PlacedLiteral extends StringLiteral {
  /** Names and indexes on the way; an object's own `index` and the like take part, since pieces of a stream say so. */
  readonly place: string;
}

/** Whether a text is an object or an array of JSON. */
export function isJsonContainer(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** All strings of a text that is JSON, names of members among them, in order. */
export function literalsOf(json: string): readonly StringLiteral[] {
  const literals: StringLiteral[] = [];
  for (let start = json.indexOf('"'); start >= 0;) {
    const end = endOfLiteral(json, start + 1);
    const written = json.slice(start + 1, end - 1);
    const value = written.includes("\\") ? (JSON.parse(json.slice(start, end)) as string) : written;
    literals.push({ start, end, value });
    start = json.indexOf('"', end);
  }
  return literals;
}

/** The strings of a JSON value that are no names, with their places. Empty for what is no JSON, or has a name twice. */
export function placedLiterals(json: string): readonly PlacedLiteral[] {
  const tree = jsonOrNone(json);
  if (tree === undefined) return [];
  const literals = literalsOf(json);
  const placed: PlacedLiteral[] = [];
  let at = 0;
  const visit = (value: JsonTree, place: string): void => {
    if (typeof value === "string") {
      const literal = literals[at++];
      if (literal !== undefined) placed.push({ ...literal, place });
    } else if (isJsonArray(value)) value.forEach((item, index) => visit(item, `${place}/${index}`));
    else if (isJsonObject(value)) {
      const own = `${place}${indexesOf(value.members)}`;
      for (const [name, inside] of value.members) {
        at += 1;
        visit(inside, `${own}/${name}`);
      }
    }
  };
  visit(tree, "");
  return placed;
}

/** What tells the parts of an answer apart of which pieces come in turn: `index`, `output_index`, `content_index`. */
function indexesOf(members: readonly (readonly [string, JsonTree])[]): string {
  return members
    .flatMap(([name, value]) =>
      /(?:^|_)index$/.test(name) && isJsonNumber(value) ? [`#${name}=${value.number}`] : [],
    )
    .join("");
}

function endOfLiteral(json: string, from: number): number {
  let at = from;
  while (at < json.length && json.charCodeAt(at) !== 34) at += json.charCodeAt(at) === 92 ? 2 : 1;
  return at + 1;
}
