/** Reads JSON that is cut off or written by hand; see `repairedValues`. */
export class JsonRepairer {
  readonly #text: string;
  #at = 0;

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

  #value(depth: number): unknown {
    this.#blanks();
    const character = this.#text[this.#at];
    if (character === undefined || character === "," || character === "}" || character === "]") return "";
    if (depth >= DEEPEST) return this.#giveUp();
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#array(depth);
    return isQuote(character) ? this.#string(character, "value") : scalar(this.#bare(/[,}\]\n]/));
  }

  #object(depth: number): unknown {
    const members: [string, unknown][] = [];
    this.#at += 1;
    for (;;) {
      this.#blanks(",");
      const character = this.#text[this.#at];
      if (character === undefined) break;
      if (character === "}" || character === "]") {
        this.#at += 1;
        break;
      }
      const name = isQuote(character) ? this.#string(character, "name") : this.#bare(/[:,}\]\n]/);
      this.#blanks();
      if (this.#text[this.#at] === undefined) break; // a name that may still grow
      const valued = this.#text[this.#at] === ":";
      if (valued) this.#at += 1;
      members.push([name, valued ? this.#value(depth + 1) : ""]);
    }
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      this.#blanks(",");
      const character = this.#text[this.#at];
      if (character === undefined) break;
      if (character === "]" || character === "}") {
        // A brace where a bracket belongs closes what is around; it is left there.
        if (character === "]") this.#at += 1;
        break;
      }
      items.push(this.#value(depth + 1));
    }
    return items;
  }

  #string(quote: string, role: "name" | "value"): string {
    const closing = CLOSING[quote] ?? quote;
    this.#at += 1;
    let read = "";
    for (;;) {
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
    if (letter !== "u") return ESCAPES[letter] ?? letter;
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) return "\\u";
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** Text without quotes, up to what ends it. */
  #bare(end: RegExp): string {
    const rest = new RegExp(end.source, "g");
    rest.lastIndex = this.#at;
    const stop = rest.exec(this.#text)?.index ?? this.#text.length;
    const read = this.#text.slice(this.#at, stop).trim();
    this.#at = stop;
    return read;
  }

  #blanks(more = ""): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || !(/\s/.test(character) || character === more)) return;
      this.#at += 1;
    }
  }

  #giveUp(): unknown {
    this.#at = this.#text.length;
    return "";
  }
}

/** Deeper than any tool asks for, and far from the end of the stack. */
const DEEPEST = 500;
const CLOSING: Readonly<Record<string, string>> = { "“": "”" };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
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
