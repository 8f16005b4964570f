import { wrongUsage, type TapedeckError } from "../base/errors.ts";
import { isJsonFault, parseJson } from "../base/json/json-parse.ts";
import { isJsonArray, type JsonTree, plainJson } from "../base/json/json-tree.ts";
import { isFields, type Fields } from "../base/lenient.ts";

/** A file of made-up answers or faults: what it is called, and how one of them is read. */
export interface MockFile<T> {
  readonly what: "script" | "plan of faults";
  /** What one entry of it is called. */
  readonly one: "reply" | "fault";
  /** What stands in it, in an example. */
  readonly hint: string;
  readonly read: (value: unknown, fault: (why: string) => TapedeckError) => T;
}

/**
 * Reads a JSON list, or one JSON value a line.
 * @throws TapedeckError `tapedeck_usage` that names the file and the place
 */
export function readMockFile<T>(kind: MockFile<T>, text: string, file: string): readonly T[] {
  const read = text.trimStart().startsWith("[") ? readList(kind, text, file) : readLines(kind, text, file);
  if (read.length === 0) throw unusable(kind, file, "it is empty");
  return read;
}

function readList<T>(kind: MockFile<T>, text: string, file: string): readonly T[] {
  const tree = parseTree(kind, text, (line, column) => `${file}:${line}:${column}`);
  if (!isJsonArray(tree)) return [];
  return tree.map((one, index) => entryOf(kind, one, `${file}, ${kind.one} ${index + 1}`));
}

function readLines<T>(kind: MockFile<T>, text: string, file: string): readonly T[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const tree = parseTree(kind, line, (_, column) => `${file}:${index + 1}:${column}`);
    return [entryOf(kind, tree, `${file}:${index + 1}`)];
  });
}

function entryOf<T>(kind: MockFile<T>, tree: JsonTree, place: string): T {
  return kind.read(plainJson(tree), (why) => unusable(kind, place, why));
}

function parseTree<T>(
  kind: MockFile<T>,
  text: string,
  place: (line: number, column: number) => string,
): JsonTree {
  try {
    return parseJson(text);
  } catch (error) {
    if (isJsonFault(error)) throw unusable(kind, place(error.line, error.column), error.reason);
    throw error;
  }
}

function unusable<T>({ what, hint }: MockFile<T>, place: string, why: string): TapedeckError {
  return wrongUsage(`The ${what} cannot be used: ${place}: ${why}.`, hint);
}

type Fault = (why: string) => TapedeckError;

const MATCHES = ["provider", "model", "text", "test"];

/** The members of an entry, of which each is known and what all have is right. */
export function entryFields(
  value: unknown,
  { one, names }: { readonly one: string; readonly names: readonly string[] },
  fault: Fault,
): Fields {
  if (!isFields(value)) throw fault("an object is expected");
  for (const name of Object.keys(value)) {
    if (name !== "times" && !MATCHES.includes(name) && !names.includes(name))
      throw fault(`"${name}" is nothing that a ${one} has`);
  }
  for (const name of MATCHES) textAt(value, name, fault);
  const { times } = value;
  if (times !== undefined && times !== "always" && !(Number.isInteger(times) && Number(times) > 0))
    throw fault('times must be a whole number above 0, or "always"');
  return value;
}

export function textAt(fields: Fields, name: string, fault: Fault): void {
  if (fields[name] !== undefined && typeof fields[name] !== "string") throw fault(`${name} must be a text`);
}

export function numberAt(
  fields: Fields,
  name: string,
  [least, most]: readonly [number, number],
  fault: Fault,
): void {
  const value = fields[name];
  if (value === undefined || (typeof value === "number" && value >= least && value <= most)) return;
  const upTo = most === Infinity ? "" : ` to ${most}`;
  throw fault(`${name} must be a number from ${least}${upTo}`);
}

/** A failure as a provider would word it. */
export function checkFailure(fields: Fields, fault: Fault): void {
  const { status } = fields;
  if (!(Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599))
    throw fault("status must be a whole number from 400 to 599");
  textAt(fields, "message", fault);
  numberAt(fields, "retryAfter", [0, 86_400], fault);
}
