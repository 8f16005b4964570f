import { decodeBase64 } from "../base/base64.ts";
import { formatCommand, getProgramName, localize } from "../base/localize.ts";
import { encodeUtf8 } from "../base/wire/text.ts";
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { isJsonFault, createJsonFault, parseJsonc, type JsonFault } from "../base/json/json-parse.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree, plainJson } from "../base/json/json-tree.ts";

/** A value in a file. Its position is determined only if there is something wrong with it. */
export interface FilePlace {
  readonly tree: JsonTree;
  /** The text of the whole file. */
  readonly text: string;
  readonly parent: FilePlace | undefined;
  /** Its name or index within its parent. */
  readonly step: string | number;
}

/**
 * Parses a file with comments and trailing commas.
 * @throws JsonFault at the first bad position.
 */
export function parseFile(text: string): FilePlace {
  try {
    const tree = parseJsonc(text);
    if (!isJsonObject(tree))
      throw createJsonFault(localize("it is not a JSON object"), text, parseTree(text)?.offset ?? 0);
    return { tree, text, parent: undefined, step: "" };
  } catch (error) {
    throw isJsonFault(error) ? explainFault(text, error) : error;
  }
}

/** Returns the path of a value for messages: `reply.waitsMs[1]`. */
export function formatFilePlace({ parent, step }: FilePlace): string {
  if (parent === undefined) return "";
  const outer = formatFilePlace(parent);
  if (typeof step === "number") return `${outer}[${step}]`;
  return outer === "" ? step : `${outer}.${step}`;
}

/** Reads the members of an object. @throws JsonFault if the value is not an object. */
export function readMembers(place: FilePlace): ReadonlyMap<string, FilePlace> {
  const { tree, text } = place;
  if (!isJsonObject(tree)) throw createFileFault(place, localize("must be an object"));
  const members = new Map<string, FilePlace>();
  for (const [name, value] of tree.members)
    members.set(name, { tree: value, text, parent: place, step: name });
  return members;
}

/** Returns a required member. @throws JsonFault at the object if it does not have the member. */
export function requireMember(
  owner: FilePlace,
  members: ReadonlyMap<string, FilePlace>,
  name: string,
): FilePlace {
  const found = members.get(name);
  if (found !== undefined) return found;
  const where = owner.parent === undefined ? localize("the file") : `"${formatFilePlace(owner)}"`;
  throw createFileFaultAt(owner, localize('{0} has no "{1}"', where, name));
}

/** Returns the one member of these names that an object has, if it has any. @throws JsonFault if it has several. */
export function findForm(
  members: ReadonlyMap<string, FilePlace>,
  names: readonly string[],
): FilePlace | undefined {
  const [form, other] = names.flatMap((name) => members.get(name) ?? []);
  if (form !== undefined && other !== undefined)
    throw createFileFault(other, localize('cannot be combined with "{0}"', formatFilePlace(form)));
  return form;
}

/** Reads the optional members that an object has, each with its reader. */
export function readOptional<T extends object>(
  members: ReadonlyMap<string, FilePlace>,
  readers: { readonly [Name in keyof T]: (place: FilePlace) => T[Name] },
): Partial<T> {
  const read: Partial<T> = {};
  for (const name in readers) {
    const place = members.get(name);
    if (place !== undefined) read[name] = readers[name](place);
  }
  return read;
}

/** Reads an object that has no other members than those with readers. @throws JsonFault */
export function readKnown<T extends object>(
  place: FilePlace,
  readers: { readonly [Name in keyof T]: (place: FilePlace) => T[Name] },
): Partial<T> {
  const members = readMembers(place);
  expectKnown(members, Object.keys(readers));
  return readOptional(members, readers);
}

export function expectKnown(members: ReadonlyMap<string, FilePlace>, known: readonly string[]): void {
  for (const [name, member] of members)
    if (!known.includes(name))
      throw createFileFault(member, localize("is unknown here; the members are {0}", known.join(", ")));
}

export function readElements(place: FilePlace): readonly FilePlace[] {
  const { tree, text } = place;
  if (!isJsonArray(tree)) throw createFileFault(place, localize("must be a list"));
  return tree.map((element, step) => ({ tree: element, text, parent: place, step }));
}

export function readString(place: FilePlace): string {
  if (typeof place.tree !== "string") throw createFileFault(place, localize("must be a string"));
  return place.tree;
}

/** Reads one of these words. @throws JsonFault */
export function readOneOf<T extends string>(place: FilePlace, values: readonly T[]): T {
  const value = readString(place);
  const known = values.find((one) => one === value);
  if (known !== undefined) return known;
  throw createFileFault(place, localize("must be one of {0}", values.map((one) => `"${one}"`).join(", ")));
}

/** Reads a number from `least` to `most`. @throws JsonFault */
export function readNumber(place: FilePlace, least: number, most = Infinity): number {
  const value = isJsonNumber(place.tree) ? Number(place.tree.number) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw createFileFault(
    place,
    most === Infinity
      ? localize("must be a number, {0} or more", least)
      : localize("must be a number from {0} to {1}", least, most),
  );
}

/** Reads a whole number from `least` to `most`. @throws JsonFault */
export function readInteger(place: FilePlace, least: number, most?: number): number {
  const value = readNumber(place, least, most);
  if (!Number.isSafeInteger(value)) throw createFileFault(place, localize("must be a whole number"));
  return value;
}

/** The bytes of a text, or of base64 in a member of this name. @throws JsonFault where it is none. */
export function decodeContent(place: FilePlace): Uint8Array {
  return place.step === "text" ? encodeUtf8(readString(place)) : decodeBytes(place);
}

/** @throws JsonFault for a text that is not base64. */
export function decodeBytes(place: FilePlace): Uint8Array {
  const bytes = decodeBase64(readString(place));
  if (bytes === undefined) throw createFileFault(place, localize("is not base64"));
  return bytes;
}

/** Returns the value as `JSON.parse` does. */
export const readPlain = (place: FilePlace): unknown => plainJson(place.tree);

/** Creates a fault of a value. `problem` follows its path, if it has one, in the message: "must be a list". */
export function createFileFault(place: FilePlace, problem: string): Error {
  const path = formatFilePlace(place);
  return createFileFaultAt(place, path === "" ? problem : `"${path}" ${problem}`);
}

/** Like `createFileFault`, with a complete sentence. */
export function createFileFaultAt(place: FilePlace, reason: string): Error {
  const root = parseTree(place.text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, pathOf(place));
  return createJsonFault(reason, place.text, node?.offset ?? 0);
}

function pathOf({ parent, step }: FilePlace): (string | number)[] {
  return parent === undefined ? [] : [...pathOf(parent), step];
}

const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/m;

/** The end of a cut text: a part of a word, number, or escape, or a comment without its end. */
const CUT_OFF = /^(?:[\w.+\\-]*|\/\*[^]*)$/;

/** Names the cause of a fault where the parser sees only its effect: an empty or cut file, a merge, a power failure. */
function explainFault(text: string, fault: JsonFault): Error {
  if (text.trim() === "") return createJsonFault(localize("it is empty"), text, 0);
  const conflict = CONFLICT.exec(text);
  if (conflict !== null)
    return createJsonFault(
      formatCommand(
        localize("it contains merge conflict markers. Run {0} git resolve", getProgramName()),
        localize("it contains merge conflict markers. Keep the same side of every conflict"),
      ),
      text,
      conflict.index,
    );
  const zero = text.indexOf("\0");
  if (zero >= 0)
    return createJsonFault(localize("it contains zero bytes, as after a power failure"), text, zero);
  const end = text.trimEnd().length;
  const isCutOff = CUT_OFF.test(text.slice(fault.offset, end));
  return isCutOff ? createJsonFault(localize("it is cut off"), text, end) : fault;
}
