import { getNodeValue, parseTree, type Node, type ParseError } from "jsonc-parser";
import { jsonFault } from "../json/json-parse.ts";
import { pointerTo, type JsonTree } from "../json/json-tree.ts";

/** A value in a file and where it stands. `name` is its path for people, e.g. `reply.status`. */
export interface Place {
  readonly text: string;
  readonly node: Node;
  readonly name: string;
}

/** What is used instead of a string in the file, by its JSON pointer. */
export type Substitute = (pointer: string, found: string) => string;

/**
 * Parses a file with comments and trailing commas.
 * @throws JsonFault at the first bad position.
 */
export function parseFile(text: string): Place {
  const errors: ParseError[] = [];
  const node = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (text.trim() === "") throw jsonFault("it is empty", text, 0);
  if (first !== undefined || node === undefined) throw syntaxFault(text, first);
  if (node.type !== "object") throw jsonFault("it is not a JSON object", text, node.offset);
  return { text, node, name: "" };
}

/** The members of an object. @throws JsonFault where it is none, or where a name stands twice. */
export function membersOf(place: Place): ReadonlyMap<string, Place> {
  if (place.node.type !== "object") throw fault(place, "must be an object");
  const members = new Map<string, Place>();
  for (const [name, key, node] of properties(place)) {
    if (members.has(name))
      throw jsonFault(`the member ${JSON.stringify(name)} stands twice`, place.text, key.offset);
    members.set(name, { text: place.text, node, name: place.name === "" ? name : `${place.name}.${name}` });
  }
  return members;
}

/** A member that must be there. @throws JsonFault at the object that lacks it. */
export function required(owner: Place, members: ReadonlyMap<string, Place>, name: string): Place {
  const found = members.get(name);
  if (found !== undefined) return found;
  const where = owner.name === "" ? "the file" : `"${owner.name}"`;
  throw jsonFault(`${where} has no "${name}"`, owner.text, owner.node.offset);
}

export function elementsOf(place: Place): readonly Place[] {
  if (place.node.type !== "array") throw fault(place, "must be a list");
  return (place.node.children ?? []).map((node, index) => ({
    text: place.text,
    node,
    name: `${place.name}[${index}]`,
  }));
}

export function stringAt(place: Place): string {
  const value: unknown = place.node.value;
  if (place.node.type !== "string" || typeof value !== "string")
    throw fault(place, "must be a text in quotes");
  return value;
}

/** A number from `least` on. */
export function numberAt(place: Place, least: number): number {
  const value: unknown = place.node.value;
  if (place.node.type !== "number" || typeof value !== "number" || !(value >= least))
    throw fault(place, `must be a number, ${least} or more`);
  return value;
}

/** A whole number from `least` on. */
export function integerAt(place: Place, least: number): number {
  const value = numberAt(place, least);
  if (!Number.isSafeInteger(value)) throw fault(place, "must be a whole number");
  return value;
}

/** The value with the digits of its numbers and the order of its members. @throws JsonFault for a name that stands twice. */
export function treeAt(place: Place, pointer: string, substitute: Substitute): JsonTree {
  const { node, text } = place;
  if (node.type === "string") return substitute(pointer, stringAt(place));
  if (node.type === "number") return { number: text.slice(node.offset, node.offset + node.length) };
  if (node.type === "array") {
    return elementsOf(place).map((element, index) => treeAt(element, `${pointer}/${index}`, substitute));
  }
  if (node.type === "object") {
    const members = [...membersOf(place)];
    return {
      members: members.map(([name, value]) => [name, treeAt(value, pointerTo(pointer, name), substitute)]),
    };
  }
  return node.value === null ? null : node.value === true;
}

/** The value as JSON.parse would give it. */
export function plainAt(place: Place): unknown {
  return getNodeValue(place.node);
}

/** A fault in the value at `place`; `problem` continues "the value …". */
export function fault(place: Place, problem: string): Error {
  return jsonFault(`"${place.name}" ${problem}`, place.text, place.node.offset);
}

function* properties(place: Place): Generator<readonly [name: string, key: Node, value: Node]> {
  for (const property of place.node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key !== undefined && value !== undefined) yield [String(key.value), key, value];
  }
}

const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/m;

/** The parser's codes, in words. Source: jsonc-parser 3.3, ParseErrorCode. */
const SYNTAX: Readonly<Record<number, string>> = {
  1: "this is not a value",
  2: "this is not a number",
  3: "a member's name in quotes is missing",
  4: "a value is missing",
  5: 'a ":" is missing',
  6: 'a "," is missing',
  7: 'a "}" is missing',
  8: 'a "]" is missing',
  9: "something follows its end",
  10: "a comment cannot stand here",
  11: "a comment does not end",
  12: "a text in quotes does not end on its line",
  13: "a digit is missing in a number",
  14: 'four hexadecimal digits are missing after "\\u"',
  15: "a backslash begins no escape that JSON knows",
  16: "a control character in a text is not escaped",
};

const SOMETHING_FOLLOWS = 9;

function syntaxFault(text: string, error: ParseError | undefined): Error {
  const conflict = CONFLICT.exec(text);
  if (conflict !== null) return jsonFault("it holds merge conflict markers", text, conflict.index);
  const zero = text.indexOf("\0");
  if (zero >= 0) return jsonFault("it holds zero bytes, as a power failure leaves them", text, zero);
  const end = text.trimEnd().length;
  const code: number = error?.error ?? 0;
  if (error === undefined || (error.offset + error.length >= end && code !== SOMETHING_FOLLOWS)) {
    return jsonFault("it ends too early, as if it had been cut off", text, end);
  }
  return jsonFault(SYNTAX[code] ?? "this is not JSON", text, error.offset);
}
