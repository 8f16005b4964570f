import { localize } from "../../base/localize.ts";
import type { Fields } from "../../base/lenient.ts";
import { formatSize } from "../../base/plural.ts";
import { isBase64 } from "../../base/base64.ts";
import type { Difference } from "../../call/call.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  getMember,
  extendPointer,
  type JsonTree,
  writeJson,
} from "../../base/json/json-tree.ts";

/** A difference as it is reported: values in a few words, absent where there is none. */
interface ShownDifference {
  /** See `Difference.at`. */
  readonly at: string;
  /** The human-readable name of the field. */
  readonly label: string;
  readonly recorded?: string | undefined;
  readonly asked?: string | undefined;
  /** Separates the label from the two values. Default: a blank. */
  readonly separator?: string;
  /** Whether the text omits the value and reports only that it was added or removed, because it is long. */
  readonly isLong?: boolean;
}

/** Describes one difference: `temperature 0.2 → 0.7`, `seed added: 1`, `tools[1] (search) removed`. */
export function describeDifference(shown: ShownDifference): Difference {
  const { at, label, recorded, asked, separator = " ", isLong = false } = shown;
  if (recorded === undefined) {
    const value = asked ?? "";
    const text = isLong ? localize("{0} added", label) : localize("{0} added: {1}", label, value);
    return { at, kind: "added", asked: value, text };
  }
  if (asked === undefined) {
    const text = isLong ? localize("{0} removed", label) : localize("{0} removed: {1}", label, recorded);
    return { at, kind: "removed", recorded, text };
  }
  const values = recorded === asked ? localize("{0}, with other content", asked) : `${recorded} → ${asked}`;
  return { at, kind: "changed", recorded, asked, text: `${label}${separator}${values}` };
}

/** Receives one difference as a function, so that only listed differences are described. */
export type Report = (difference: () => Difference) => void;

/** A field of a body, as a JSON pointer and as a label. */
export interface DifferencePlace {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** E.g. `messages[0] (system)`; "" at the root. */
  readonly label: string;
  /** Whether it is an element of an array, whose `content` or `text` gets the label of the element. */
  readonly element: boolean;
}

export const ROOT: DifferencePlace = { pointer: "", label: "", element: false };

/** Returns the label of a field when it is shown alone. */
export const getLabel = (place: DifferencePlace): string =>
  place.label === "" ? localize("body") : place.label;

/** Returns the place of a member. `isText`: its value is a string on both sides. */
export function createMemberPlace(parent: DifferencePlace, name: string, isText: boolean): DifferencePlace {
  const pointer = extendPointer(parent.pointer, name);
  if (parent.element && isText && (name === "content" || name === "text")) {
    return { pointer, label: parent.label, element: false };
  }
  const step = /^[\w$-]+$/.test(name) ? name : `["${name}"]`;
  const between = parent.label === "" || step.startsWith("[") ? "" : parent.label.endsWith(")") ? " " : ".";
  return { pointer, label: parent.label + between + step, element: false };
}

/** Returns the place of an element. Messages are labeled with their role. */
export function createElementPlace(
  parent: DifferencePlace,
  index: number,
  element: JsonTree,
): DifferencePlace {
  const role = getMember(element, "role");
  const called = typeof role === "string" ? ` (${role})` : "";
  const label = `${getLabel(parent)}[${index}]${called}`;
  return { pointer: `${parent.pointer}/${index}`, label, element: true };
}

/** Returns the name of a tool or function. Messages may have names too, but are not matched by them. */
export function getToolName(element: JsonTree): string | undefined {
  if (!isJsonObject(element) || getMember(element, "role") !== undefined) return undefined;
  const name = getMember(getMember(element, "function"), "name") ?? getMember(element, "name");
  return typeof name === "string" ? name : undefined;
}

/** Maximum length of an excerpt in characters, without the ellipses. */
const LENGTH = 120;
/** Characters before the difference that an excerpt includes. */
const LEAD = 40;

/** Shortens a value: words without quotes, texts in quotes, data as type and size, objects as the beginning of their JSON. */
export function shortenValue(tree: JsonTree): string {
  if (typeof tree === "string") return describeData(tree) ?? (isWord(tree) ? tree : quoteExcerpt(tree));
  if (typeof tree !== "object" || tree === null) return String(tree);
  if (isJsonNumber(tree)) return cut(tree.number);
  return cut(writeJson(abridge(tree)));
}

/** Returns the members of a value that JSON.parse returned. */
export const listMembers = (json: unknown): Fields =>
  typeof json === "object" && json !== null ? (json as Fields) : {};

/** Returns the text of a message, a part, or a list of parts, as JSON.parse returns these; undefined if it has none. */
export function findText(json: unknown): string | undefined {
  if (typeof json === "string") return json;
  const { content, parts, text } = listMembers(json);
  const found = Array.isArray(json) ? json : (content ?? parts ?? text);
  if (typeof found === "string") return found;
  if (!Array.isArray(found)) return undefined;
  const texts = found.map((part) => listMembers(part)["text"]).filter((one) => typeof one === "string");
  return texts.length === 0 ? undefined : texts.join(" ");
}

/** "image/png, 48 KB" for a data URL, "base64, 48 KB" for base64; undefined for any other text. */
export function describeData(text: string): string | undefined {
  const [beginning, type] = /^data:([\w.+/-]*)[;,]/.exec(text) ?? [];
  if (beginning === undefined && (text.length < 256 || !isBase64(text))) return undefined;
  const length = beginning === undefined ? text.length : text.length - text.indexOf(",") - 1;
  return `${beginning === undefined ? "base64" : type || localize("data")}, ${formatSize(Math.floor((length * 3) / 4))}`;
}

/** Quotes a text on one line and cuts its end. */
export const quoteExcerpt = (text: string): string => `"${cut(onLine(hideData(text)))}"`;

/** Cuts two texts around their first difference. Returns undefined if only data in them differs. */
export function excerpt(recorded: string, asked: string): readonly [string, string] | undefined {
  const hidden = [hideData(recorded), hideData(asked)] as const;
  if (hidden[0] === hidden[1]) return undefined;
  const pair = clarify(recorded, asked);
  return pair === undefined
    ? cutAround(escapeHidden(hidden[0]), escapeHidden(hidden[1]))
    : cutAround(...pair);
}

/** Returns both texts on one line each, without data; undefined if they would look the same. */
export function clarify(recorded: string, asked: string): readonly [string, string] | undefined {
  const pair = [onLine(hideData(recorded)), onLine(hideData(asked))] as const;
  return pair[0].normalize("NFKC") === pair[1].normalize("NFKC") ? undefined : pair;
}

/** Whether a string is one word, which is shown without quotes and compared as a whole. */
export function isWord(text: string): boolean {
  return (
    text.length <= 60 && /^[^\s"{}[\]]+$/.test(text) && !/^(?:true|false|null|[-+.\d][-+.\deE]*)$/.test(text)
  );
}

/** Shortens the long strings of a value, so that its JSON can be cut anywhere. */
function abridge(tree: JsonTree): JsonTree {
  if (typeof tree === "string") return describeData(tree) ?? cut(onLine(hideData(tree)));
  if (isJsonObject(tree)) return { members: tree.members.map(([name, value]) => [name, abridge(value)]) };
  return isJsonArray(tree) ? tree.slice(0, LENGTH).map(abridge) : tree;
}

function hideData(text: string): string {
  if (text.length < 64) return text;
  // Not {256,}: the engine remembers every repetition, and fails on megabytes of data.
  return text.replace(
    /data:[\w.+/-]{0,100};base64,[A-Za-z0-9+/_=-]+|[A-Za-z0-9+/_-]{256}[A-Za-z0-9+/_-]*={0,2}/g,
    (data) => `[${describeData(data) ?? localize("data")}]`,
  );
}

const onLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Escapes white space and characters that look like others. */
function escapeHidden(text: string): string {
  return writeJson(text, { ascii: true }).replace(/(?<= ) /g, "\\u0020");
}

const cut = (text: string): string => (text.length <= LENGTH ? text : `${slice(text, 0, LENGTH)}…`);

function cutAround(recorded: string, asked: string): readonly [string, string] {
  let shared = 0;
  while (shared < recorded.length && recorded[shared] === asked[shared]) shared += 1;
  const longest = Math.max(recorded.length, asked.length);
  const lead = longest <= LENGTH ? 0 : Math.max(0, Math.min(shared - LEAD, longest - LENGTH));
  const blank = lead === 0 ? -1 : recorded.slice(lead, Math.min(shared, lead + LEAD / 2)).indexOf(" ");
  const start = lead + blank + 1;
  const window = (text: string): string => {
    const end = Math.min(text.length, start + LENGTH);
    return `${start > 0 ? "…" : ""}${slice(text, start, end)}${end < text.length ? "…" : ""}`;
  };
  return [window(recorded), window(asked)];
}

/** Like String.slice, but leaves out half a surrogate pair at either end. */
function slice(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** Merges the names of both lists, each once, in the order of `asked`; others follow their predecessor in `recorded`. */
export function mergeNames(recorded: readonly string[], asked: readonly string[]): readonly string[] {
  const known = new Set(asked);
  const first: string[] = [];
  const followers = new Map<string, string[]>();
  let latest = first;
  for (const name of recorded) {
    if (known.has(name)) followers.set(name, (latest = []));
    else latest.push(name);
  }
  return [...first, ...asked.flatMap((name) => [name, ...(followers.get(name) ?? [])])];
}
