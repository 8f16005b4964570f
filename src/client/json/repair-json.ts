import { type Fields, isFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { writePythonAsciiJson } from "../python/write.ts";
import { parsePython, convertPlainNumbers, parsePythonNumber } from "../python/value.ts";
import { StringReader, Unrepairable } from "./repair-string.ts";
import { isQuote, RepairText } from "./repair-text.ts";

/** Result of reading a text that should be a JSON object. */
export interface RepairedObject {
  readonly value: Fields;
  /** Content of the text: a valid object, a repaired object, another value, or nothing. The last two give an empty `value`. */
  readonly found: "whole" | "repaired" | "other" | "nothing";
  /** Length of the object as written by Python, which the original compares: 4.0 is longer than 4. */
  readonly length: number;
}

/**
 * Reads an object that can be incomplete. Unlike `repairJson`, it omits incomplete parts and keeps white space at the
 * end, because more text can follow. Never fails: any other value becomes an empty object.
 */
export function repairObject(text: string): RepairedObject {
  const whole = tryParsePlainJson(text);
  if (isFields(whole)) return { value: whole, found: "whole", length: wholeLength(text) };
  const made = whole === undefined ? tryRepair(text, true) : whole;
  const value = withoutPython(made);
  if (isFields(value))
    return { value, found: "repaired", length: writePythonAsciiJson(made, "the text").length };
  return { value: {}, found: made === undefined ? "nothing" : "other", length: "{}".length };
}

/**
 * Reads an object from a growing text. Until the text is complete, the previous object is kept if it is longer, so that
 * members do not disappear.
 */
export function repairGrowingObject(text: string, before?: RepairedObject): RepairedObject {
  const now = repairObject(text);
  if (before === undefined || now.found === "whole" || before.length <= now.length) return now;
  return { ...before, found: now.found };
}

/**
 * Reads JSON, or repairs it like Python's json_repair 0.50, which removes prose and code fences. Returns a list for
 * several values in one text, and undefined if there is none.
 */
export function repairJson(text: string): unknown {
  const whole = tryParsePlainJson(text);
  return whole === undefined ? withoutPython(tryRepair(text, false)) : whole;
}

function tryRepair(text: string, growing: boolean): unknown {
  try {
    return new JsonRepairer(text, growing).all();
  } catch (error) {
    if (error instanceof Unrepairable) return undefined;
    throw error;
  }
}

function wholeLength(text: string): number {
  try {
    return writePythonAsciiJson(parsePython(text), "the text").length;
  } catch {
    // Nested too deeply: uses the length of the text as an approximation.
    return text.length;
  }
}

class JsonRepairer {
  readonly #text: RepairText;
  readonly #strings: StringReader;
  #depth = 0;

  constructor(text: string, growing: boolean) {
    this.#text = new RepairText(text);
    this.#strings = new StringReader(this.#text, growing);
  }

  all(): unknown {
    const found: unknown[] = [];
    const first = this.#value();
    if (!this.#text.ended) found.push(first);
    while (!this.#text.ended) {
      const value = this.#value();
      if (value === "") this.#text.index += 1;
      else {
        // A value with the same structure replaces the previous one, as its correction.
        if (hasSameForm(found.at(-1), value)) found.pop();
        found.push(value);
      }
    }
    const whole = found.length > 1 ? found : (found[0] ?? first);
    return whole === "" ? undefined : whole;
  }

  /** Reads the next value; "" if there is none, or a comment in its place. */
  #value(): unknown {
    const text = this.#text;
    for (; !text.ended; text.index += 1) {
      const character = text.at();
      if (character === "{" || character === "[") return this.#nested(character);
      if (text.place !== undefined) {
        if (isQuote(character) || text.isLetter()) return this.#strings.next();
        if (text.isDigit() || character === "-" || character === ".") return this.#number();
      }
      if (character === "#" || character === "/") {
        this.#skipComment();
        if (text.place !== undefined) return "";
        text.index -= 1;
      }
    }
    return "";
  }

  #nested(bracket: string): unknown {
    if (this.#depth >= DEEPEST) throw new Unrepairable();
    this.#text.index += 1;
    this.#depth += 1;
    const value = bracket === "{" ? this.#object() : this.#array();
    this.#depth -= 1;
    return value;
  }

  #object(): Members {
    const text = this.#text;
    const members: Members = new Map();
    while (!text.ended && text.at() !== "}") {
      text.skipBlanks();
      if (text.at() === ":") text.index += 1;
      text.enter("name");
      const { name, begin } = this.#name(members);
      if (text.isWithin("item") && members.has(name)) {
        // In a list of objects, a repeated name starts the next object.
        text.openObjectAt(begin);
        return members;
      }
      text.skipBlanks();
      if (text.ended || text.at() === "}") continue;
      text.index += 1;
      text.leave();
      text.enter("value");
      text.skipBlanks();
      const value = text.at() === "," || text.at() === "}" ? "" : this.#value();
      text.leave();
      members.set(name, value);
      if (/^[,'"]/.test(text.at())) text.index += 1;
      text.skipBlanks();
    }
    text.index += 1;
    return members;
  }

  /** Reads a member's name and its start. A list between members extends the list of the previous member. */
  #name(members: Members): { readonly name: string; readonly begin: number } {
    const text = this.#text;
    let begin = text.index;
    while (!text.ended) {
      begin = text.index;
      const before = text.at() === "[" ? listBefore(members) : undefined;
      if (before) {
        const more = this.#nested("[") as unknown[];
        before.push(...(more.length === 1 && Array.isArray(more[0]) ? (more[0] as unknown[]) : more));
        text.skipBlanks();
        if (text.at() === ",") text.index += 1;
        text.skipBlanks();
        continue;
      }
      const name = this.#string();
      if (name !== "") return { name: String(name), begin };
      text.skipBlanks();
      if (text.at() === ":" || text.at() === "}") break;
    }
    return { name: "", begin };
  }

  #string(): unknown {
    if (this.#text.at() !== "#" && this.#text.at() !== "/") return this.#strings.next();
    this.#skipComment();
    return "";
  }

  #array(): unknown[] {
    const text = this.#text;
    const items: unknown[] = [];
    text.enter("item");
    while (!text.ended && text.at() !== "]" && text.at() !== "}") {
      // Like the original, checks the white space before an item for a quote.
      const value = isQuote(text.at()) ? this.#quotedItem(text.at()) : this.#value();
      if (isEmpty(value)) text.index += 1;
      else if (value !== "..." || text.at(-1) !== ".") items.push(value);
      while (!text.ended && (text.at() === "," || text.isBlank())) text.index += 1;
    }
    text.index += 1;
    text.leave();
    return items;
  }

  /** Reads an item that starts with a quote: a string, or the first name of an object without its brace. */
  #quotedItem(quote: string): unknown {
    const text = this.#text;
    const after = text.afterBlanks(text.find(quote, 1) + 1);
    return text.at(after) === ":" ? this.#object() : this.#strings.next();
  }

  #number(): unknown {
    const text = this.#text;
    const begin = text.index;
    let digits = text.take(text.place === "item" ? NUMBER_IN_LIST : NUMBER);
    if (/[-eE/,]$/.test(digits)) {
      digits = digits.slice(0, -1);
      text.index -= 1;
    } else if (text.isLetter()) {
      text.index = begin;
      return this.#strings.next();
    }
    return PYTHON_NUMBER.test(digits) ? parsePythonNumber(digits) : digits;
  }

  /** Skips a comment. A line comment also ends where its container can end. */
  #skipComment(): void {
    const text = this.#text;
    if (text.at() === "/" && text.at(1) === "*") text.take(BLOCK_COMMENT);
    else if (text.at() === "/" && text.at(1) !== "/") text.index += 1;
    else while (!text.ended && !this.#endsComment(text.at())) text.index += 1;
  }

  #endsComment(character: string): boolean {
    const text = this.#text;
    if (character === "\n" || character === "\r") return true;
    if (character === "]") return text.isWithin("item");
    if (character === "}") return text.isWithin("value");
    return character === ":" && text.isWithin("name");
  }
}

/** Members of an object that is being read, in order, even for numeric names. */
type Members = Map<string, unknown>;

/** Maximum nesting, which avoids a stack overflow; close to that of the original. */
const DEEPEST = 300;
const NUMBER = /[-0-9.eE/,]*/y;
const NUMBER_IN_LIST = /[-0-9.eE/]*/y;
const PYTHON_NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE]-?\d+)?$/;
/** The star of the opening can also end it, as in the original. */
const BLOCK_COMMENT = /\/\*(?:\/|[^]*?(?:\*\/|$))/y;

function listBefore(members: Members): unknown[] | undefined {
  const [name, value] = Array.from(members).at(-1) ?? ["", undefined];
  return name !== "" && Array.isArray(value) ? (value as unknown[]) : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0;
  return value === "" || (Array.isArray(value) && value.length === 0);
}

function hasSameForm(one: unknown, other: unknown): boolean {
  if (one instanceof Map && other instanceof Map)
    return (
      one.size === other.size &&
      Array.from(one).every(([name, value]) => other.has(name) && hasSameForm(value, other.get(name)))
    );
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, place) => hasSameForm(item, other[place]));
  return kindOf(one) === kindOf(other);
}

function kindOf(value: unknown): string {
  if (value instanceof Map || Array.isArray(value)) return Object.prototype.toString.call(value);
  return typeof value === "bigint" ? "number" : typeof value;
}

function withoutPython(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPython);
  if (!(value instanceof Map)) return convertPlainNumbers(value);
  return Object.fromEntries(Array.from(value, ([name, member]) => [name, withoutPython(member)]));
}
