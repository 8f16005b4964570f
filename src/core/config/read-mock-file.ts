import { localize } from "../base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";
import { isJsonFault, parseJson } from "../base/json/json-parse.ts";
import { isJsonArray, type JsonTree, plainJson } from "../base/json/json-tree.ts";
import { isFields, type Fields } from "../base/lenient.ts";

/** A file of made-up answers or faults: what it is called, and how one of them is read. */
export interface MockFile<T> {
  readonly what: string;
  /** The noun for one entry, for messages. */
  readonly one: "reply" | "fault";
  /** An example of its content, for messages. */
  readonly hint: string;
  readonly read: (value: unknown, fault: (why: string) => TapedeckError) => T;
}

/**
 * Reads a JSON list, or one JSON value a line.
 * @throws TapedeckError `tapedeck_usage` that names the file and the place
 */
export function readMockFile<T>(kind: MockFile<T>, text: string, file: string): readonly T[] {
  const read = text.trimStart().startsWith("[") ? readList(kind, text, file) : readLines(kind, text, file);
  if (read.length === 0) throw unusable(kind, file, localize("it is empty"));
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
  return createWrongUsage(localize("The {0} cannot be used: {1}: {2}.", what, place, why), hint);
}

type Fault = (why: string) => TapedeckError;

const MATCHES = ["provider", "model", "text", "test"];

/** Returns the members of an entry after checking their names and the common members. */
export function readEntryFields(
  value: unknown,
  { one, names }: { readonly one: string; readonly names: readonly string[] },
  fault: Fault,
): Fields {
  if (!isFields(value)) throw fault(localize("it must be an object"));
  for (const name of Object.keys(value)) {
    if (name !== "times" && !MATCHES.includes(name) && !names.includes(name))
      throw fault(localize('"{0}" is unknown in a {1}', name, one));
  }
  for (const name of MATCHES) checkTextField(value, name, fault);
  const { times } = value;
  if (times !== undefined && times !== "always" && !(Number.isInteger(times) && Number(times) > 0))
    throw fault(localize('times must be a whole number above 0, or "always"'));
  return value;
}

export function checkTextField(fields: Fields, name: string, fault: Fault): void {
  if (fields[name] !== undefined && typeof fields[name] !== "string")
    throw fault(localize("{0} must be a string", name));
}

export function checkNumber(
  fields: Fields,
  name: string,
  [least, most]: readonly [number, number],
  fault: Fault,
): void {
  const value = fields[name];
  if (value === undefined || (typeof value === "number" && value >= least && value <= most)) return;
  throw fault(
    most === Infinity
      ? localize("{0} must be a number, {1} or more", name, least)
      : localize("{0} must be a number from {1} to {2}", name, least, most),
  );
}

/** A failure as a provider would word it. */
export function checkFailure(fields: Fields, fault: Fault): void {
  const { status } = fields;
  if (!(Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599))
    throw fault(localize("status must be a whole number from 400 to 599"));
  checkTextField(fields, "message", fault);
  checkNumber(fields, "retryAfter", [0, 86_400], fault);
}
