import { type Fields, isFields, jsonIn } from "../../core/protocol/reading/lenient.ts";

/** What became of a text that should have been a JSON object. */
interface RepairedObject {
  readonly value: Fields;
  /** What the text holds: an object as it stands, one that had to be repaired, or else an empty `value`. */
  readonly found: "whole" | "repaired" | "other" | "nothing";
}

/**
 * The object that a text is, or is on its way to be: strings and brackets that are not closed are closed, a name
 * without a value yet is left out, quotes may be single or missing. Never fails: what is no object is an empty one.
 */
export function repairObject(text: string): RepairedObject {
  const whole = jsonIn(text);
  if (whole !== undefined)
    return isFields(whole) ? { value: whole, found: "whole" } : { value: {}, found: "other" };
  const values = new JsonRepairer(text).values();
  const [first] = values;
  if (values.length === 1 && isFields(first)) return { value: first, found: "repaired" };
  return { value: {}, found: values.length > 0 ? "other" : "nothing" };
}

/**
 * The object of a text that still grows. A whole text wins; until then the object of the step before stays where it
 * says more, so that nothing that was there goes away again.
 */
export function repairGrowingObject(text: string, before: Fields = {}): RepairedObject {
  const repaired = repairObject(text);
  const longer = repaired.found !== "whole" && written(before) > written(repaired.value);
  return longer ? { ...repaired, value: before } : repaired;
}

/**
 * The object or list that a model meant: as `repairObject`, but undefined where the text begins or ends with something
 * else, and where a word, a bracket or a name in it cannot be what was meant.
 */
export function repairJson(text: string): unknown {
  return new JsonRepairer(text).only();
}

/** How long a value is as Python writes it, by which the original compares. */
function written(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value) ?? "";
    // Each unit beyond ASCII is written as `\uXXXX`.
    return text.length + 5 * (text.match(/[\u0080-\uffff]/g)?.length ?? 0);
  }
  const lengths = Array.isArray(value)
    ? value.map(written)
    : Object.entries(value).map(([name, member]) => written(name) + 2 + written(member));
  return 2 + lengths.reduce((sum, length) => sum + length, 0) + 2 * Math.max(0, lengths.length - 1);
}

class JsonRepairer {
  readonly #text: string;
  #at = 0;
  /** Whether something had to be taken for what it hardly is. */
  #guessed = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Every object and array of a text, in order; words around them are passed over. */
  values(): unknown[] {
    const found: unknown[] = [];
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      if (character === "{" || character === "[") found.push(this.#value(0));
      else this.#at += 1;
    }
    return found;
  }

  /** The object or array that a text is, alone and without a guess; undefined where it is none. */
  only(): unknown {
    this.#blanks();
    if (!/^[{[]/.test(this.#text.slice(this.#at, this.#at + 1))) return undefined;
    const value = this.#value(0);
    this.#blanks();
    return this.#guessed || this.#at < this.#text.length ? undefined : value;
  }

  #value(depth: number): unknown {
    this.#blanks();
    const character = this.#text[this.#at];
    if (character === undefined) return "";
    if (character === "," || character === "}" || character === "]") return this.#guess("");
    if (depth >= DEEPEST) return this.#giveUp();
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#array(depth);
    if (isQuote(character)) return this.#string(character, "value");
    const value = scalar(this.#bare(BARE_VALUE));
    return typeof value === "string" ? this.#guess(value) : value;
  }

  #guess<T>(value: T): T {
    this.#guessed = true;
    return value;
  }

  #object(depth: number): unknown {
    const members: [string, unknown][] = [];
    this.#at += 1;
    for (;;) {
      this.#blanks(BLANKS_AND_COMMAS);
      const character = this.#text[this.#at];
      if (character === undefined) break;
      if (character === "}" || character === "]") {
        this.#at += 1;
        this.#guessed ||= character === "]";
        break;
      }
      const name = isQuote(character) ? this.#string(character, "name") : this.#bare(BARE_NAME);
      this.#blanks();
      if (this.#text[this.#at] === undefined) break; // a name that may still grow
      const valued = this.#text[this.#at] === ":";
      if (valued) this.#at += 1;
      members.push([name, valued ? this.#value(depth + 1) : this.#guess("")]);
    }
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      this.#blanks(BLANKS_AND_COMMAS);
      const character = this.#text[this.#at];
      if (character === undefined) break;
      if (character === "]" || character === "}") {
        // A brace where a bracket belongs closes what is around; it is left there.
        if (character === "]") this.#at += 1;
        else this.#guessed = true;
        break;
      }
      items.push(this.#value(depth + 1));
    }
    return items;
  }

  #string(quote: string, role: "name" | "value"): string {
    const { closing, plain } = QUOTES[quote] ?? DOUBLE;
    this.#at += 1;
    let read = "";
    for (;;) {
      read += this.#run(plain);
      const character = this.#text[this.#at];
      if (character === undefined) return withoutHalfPair(read);
      this.#at += 1;
      if (character === "\\") read += this.#escape();
      else if (character !== closing || !this.#closes(role)) read += character;
      else return read;
    }
  }

  /** Whether a quote just read ends its string: what follows it can only stand outside of one. */
  #closes(role: "name" | "value"): boolean {
    if (role === "name") return true;
    AFTER_VALUE.lastIndex = this.#at;
    return AFTER_VALUE.test(this.#text);
  }

  #escape(): string {
    const letter = this.#text[this.#at];
    if (letter === undefined) return "";
    this.#at += 1;
    if (letter !== "u") return ESCAPES[letter] ?? `\\${letter}`;
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) return "\\u";
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #bare(word: RegExp): string {
    return this.#run(word).trim();
  }

  /** What a sticky pattern matches from here on; it matches at least nothing. */
  #run(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [read = ""] = pattern.exec(this.#text) ?? [];
    this.#at += read.length;
    return read;
  }

  #blanks(pattern = BLANKS): void {
    this.#run(pattern);
  }

  #giveUp(): unknown {
    this.#at = this.#text.length;
    return this.#guess("");
  }
}

/** Deeper than any tool asks for, and far from the end of the stack. */
const DEEPEST = 500;
const DOUBLE = { closing: '"', plain: /[^"\\]*/y };
const QUOTES: Readonly<Record<string, typeof DOUBLE>> = {
  '"': DOUBLE,
  "'": { closing: "'", plain: /[^'\\]*/y },
  "“": { closing: "”", plain: /[^”\\]*/y },
};
const BLANKS = /\s*/y;
const BLANKS_AND_COMMAS = /[\s,]*/y;
const BARE_VALUE = /[^,}\]\n]*/y;
const BARE_NAME = /[^:,}\]\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  '"': '"',
  "'": "'",
  "/": "/",
  "\\": "\\",
};
const AFTER_VALUE = /\s*(?:$|[,}\]]|["'“][^"'”\n]*["'”]\s*:)/y;

const isQuote = (character: string): boolean => character === '"' || character === "'" || character === "“";

function scalar(text: string): unknown {
  const word = WORDS.get(text);
  if (word !== undefined) return word.value;
  // "12." and "1e" are numbers that are not whole yet.
  const begun = /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?$/.test(text)
    ? Number(text.replace(/[.eE+-]+$/, ""))
    : Number.NaN;
  return Number.isFinite(begun) ? begun : text;
}

const WORDS: ReadonlyMap<string, { readonly value: unknown }> = new Map([
  ["true", { value: true }],
  ["True", { value: true }],
  ["false", { value: false }],
  ["False", { value: false }],
  ["null", { value: null }],
  ["None", { value: null }],
]);

/** A character beyond U+FFFF that was cut in half is not there yet. */
function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
