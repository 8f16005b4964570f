import { stripRightLikePython } from "../python/blank.ts";
import { isQuote, type RepairText } from "./repair-text.ts";

/** Thrown if json_repair fails with an error. */
export class Unrepairable extends Error {}

/**
 * Reads damaged strings of models: without quotes, with an extra quote, or with quotes inside. The text after a quote
 * determines its meaning, by the rules of json_repair 0.50.
 */
export class StringReader {
  readonly #text: RepairText;
  readonly #growing: boolean;
  /** State of the current string: whether it started without a quote, its quotes, and its characters so far. */
  #bare = false;
  #opening = '"';
  #closing = '"';
  #read: string[] = [];
  /** Whether the next closing quote pairs with a quote inside the string. */
  #paired = false;

  constructor(text: RepairText, growing: boolean) {
    this.#text = text;
    this.#growing = growing;
  }

  /** Reads the string at the current index. Skips characters that cannot start a string. */
  next(): string | boolean | null {
    const text = this.#text;
    while (!text.ended && !isQuote(text.at()) && !text.isLetterOrNumber()) text.index += 1;
    this.#begin();
    if (this.#bare && text.place !== "name") {
      const word = text.take(WORD);
      if (word !== "") return WORDS[word.toLowerCase()] ?? null;
    }
    if (!this.#bare) text.index += 1;
    const doubled = text.at() === this.#opening && !this.#bare ? this.#afterTwoQuotes() : "single";
    if (doubled === "empty") return "";
    this.#readOn(doubled === "doubled");
    return this.#end();
  }

  #begin(): void {
    const first = this.#text.at();
    this.#bare = !isQuote(first);
    this.#opening = first === "'" || first === "“" ? first : '"';
    this.#closing = first === "“" ? "”" : this.#opening;
    this.#read = [];
    this.#paired = false;
  }

  /** Interprets two quotes: an empty string, the start of a string in doubled quotes, or an extra quote. */
  #afterTwoQuotes(): "empty" | "doubled" | "single" {
    const text = this.#text;
    const next = text.at(1);
    if ((text.place === "name" && next === ":") || (text.place === "value" && isOneOf(next, ",}"))) {
      text.index += 1;
      return "empty";
    }
    if (next === this.#opening) return "empty";
    const end = text.find(this.#closing, 1);
    if (text.at(end) !== "" && text.at(end + 1) === this.#closing) {
      text.index += 1;
      return "doubled";
    }
    const following = text.at(text.afterBlanks(1));
    if (isOneOf(following, "\"'“”{[")) {
      text.index += 1;
      return "empty";
    }
    if (!isOneOf(following, ",]}")) text.index += 1;
    return "single";
  }

  #readOn(doubled: boolean): void {
    const text = this.#text;
    while (!text.ended && text.at() !== this.#closing) {
      if (this.#endsBefore(text.at())) return;
      this.#take();
      if (this.#last === "\\") {
        if (text.ended && this.#growing) this.#read.pop();
        if (!text.ended && this.#unescape()) continue;
      }
      if (text.at() === ":" && !this.#bare && text.place === "name" && this.#nameEndsHere()) return;
      if (text.at() !== this.#closing || this.#last === "\\") continue;
      if (doubled && text.at(1) === this.#closing) text.index += 1;
      else if (this.#bare && text.place === "value") {
        if (this.#nextNameBegins()) text.index -= 1;
        return;
      } else if (this.#keepsQuote()) this.#take();
      else return;
    }
  }

  get #last(): string | undefined {
    return this.#read.at(-1);
  }

  #take(): void {
    this.#read.push(this.#text.at());
    this.#text.index += 1;
  }

  #endsBefore(character: string): boolean {
    const text = this.#text;
    if (this.#bare && text.place === "name" && (character === ":" || text.isBlank())) return true;
    if (this.#bare && text.place === "item" && isOneOf(character, "],")) return true;
    if (this.#growing) return false;
    if (text.place === "value" && isOneOf(character, ",}") && this.#last !== this.#closing)
      return this.#valueLacksQuote();
    if (character !== "]" || !text.isWithin("item")) return false;
    if (this.#last === undefined) throw new Unrepairable();
    return this.#last !== this.#closing && text.at(text.find(this.#closing, 1)) === "";
  }

  /** Whether a comma or a brace in a value ends it, because its closing quote is missing. */
  #valueLacksQuote(): boolean {
    const text = this.#text;
    const quote = text.find(this.#closing, 1);
    if (text.at(quote) !== "") {
      if (text.at(1) === "\\") return false;
      const after = text.afterBlanks(quote + 1);
      if (isOneOf(text.at(after), ",}") || text.at(after) === "") return false;
      const opening = text.find(this.#opening, after);
      if (text.at(opening) === "") return false;
      return isOneOf(text.at(text.afterBlanks(opening + 1)), ":", "");
    }
    if (text.at(text.find(":", 1)) !== "") return true;
    if (text.at(1) === "\\") return false;
    const after = text.afterBlanks(1);
    const brace = text.find("}", after);
    if (brace - after > 1) return false;
    return text.at(brace) === "" || !this.#read.includes("{");
  }

  /** Reads an escape; returns false if the backslash is literal. */
  #unescape(): boolean {
    const text = this.#text;
    const letter = text.at();
    const character = letter === this.#closing || letter === "\\" ? letter : ESCAPES[letter];
    if (character !== undefined) {
      this.#replaceLast(character);
      while (!text.ended && this.#last === "\\" && isOneOf(text.at(), `${this.#closing}\\`))
        this.#replaceLast(text.at());
      return true;
    }
    const length = letter === "u" ? 4 : letter === "x" ? 2 : 0;
    const digits = text.slice(1, 1 + length);
    if (length > 0 && digits.length === length && /^[\da-f]+$/i.test(digits)) {
      this.#replaceLast(String.fromCharCode(Number.parseInt(digits, 16)));
      text.index += length;
      return true;
    }
    if (!isQuote(letter)) return false;
    this.#replaceLast(letter);
    return true;
  }

  #replaceLast(character: string): void {
    this.#read[this.#read.length - 1] = character;
    this.#text.index += 1;
  }

  /** Whether a colon in a quoted name ends it, because a quoted value or no quote follows. */
  #nameEndsHere(): boolean {
    const text = this.#text;
    const opening = text.find(this.#opening, 1);
    if (text.at(opening) === "") return true;
    const closing = text.find(this.#closing, opening + 1);
    return text.at(closing) !== "" && isOneOf(text.at(text.afterBlanks(closing + 1)), ",}");
  }

  /** Whether the quote after an unquoted value starts the next member's name. */
  #nextNameBegins(): boolean {
    const end = this.#nextQuote(() => false);
    return this.#text.at(end) !== "" && this.#text.at(this.#text.afterBlanks(end + 1)) === ":";
  }

  #nextQuote(isEnd: (offset: number) => boolean): number {
    let offset = 1;
    for (; this.#text.at(offset) !== ""; offset += 1) {
      if (this.#text.at(offset) === this.#closing || this.#text.at(offset) === this.#opening) break;
      if (isEnd(offset)) break;
    }
    return offset;
  }

  /** Whether a quote is part of the string, which continues after it. */
  #keepsQuote(): boolean {
    const text = this.#text;
    if (this.#paired) {
      this.#paired = false;
      return true;
    }
    const next = this.#nextQuote(this.#endsStructure());
    if (text.at(next) === "," && text.place === "value")
      return isOneOf(text.at(text.afterBlanks(text.find(this.#closing, next + 1) + 1)), "},");
    if (text.at(next) !== this.#closing || text.at(next - 1) === "\\") return false;
    if (text.afterBlanks(1) >= next) return false;
    if (text.place === "value") return this.#keepsQuoteOfValue(next);
    if (text.place === "item") return this.#keepsQuoteOfItem(next);
    return text.place === "name";
  }

  /** Returns the end condition of the search for another quote: brackets, and commas before any letter. */
  #endsStructure(): (offset: number) => boolean {
    const text = this.#text;
    const [inName, inValue, inItem] = [text.isWithin("name"), text.isWithin("value"), text.isWithin("item")];
    let plain = text.place === "value";
    return (offset) => {
      if (plain && text.isLetter(offset)) plain = false;
      const character = text.at(offset);
      if (inName && isOneOf(character, ":}")) return true;
      if (inValue && character === "}") return true;
      if (inItem && isOneOf(character, "],")) return true;
      return plain && character === ",";
    };
  }

  #keepsQuoteOfValue(quote: number): boolean {
    const text = this.#text;
    let offset = text.afterBlanks(quote + 1);
    if (text.at(offset) === ",") {
      const opening = text.find(this.#opening, offset + 1) + 1;
      offset = text.afterBlanks(text.find(this.#closing, opening + 1) + 1);
      if (text.at(offset) === ":") return true;
    }
    offset = text.find(this.#closing, offset + 1) + 1;
    for (; !isOneOf(text.at(offset), ":,]}", ""); offset += 1)
      if (text.at(offset) === this.#closing && text.at(offset - 1) !== "\\") break;
    if (text.at(offset) === ":") return false;
    this.#paired = true;
    return true;
  }

  /** Whether a quote is part of an item: quotes are in pairs, up to the last one before the end of the array. */
  #keepsQuoteOfItem(quote: number): boolean {
    const text = this.#text;
    const stops = `${this.#closing}]`;
    let offset = text.find(stops, quote + 1);
    if (text.at(offset) !== this.#closing) return false;
    while (text.at(offset) === this.#closing) offset = text.find(stops, text.find(stops, offset + 1) + 1);
    if (text.at(offset) === "]") return false;
    this.#paired = true;
    return true;
  }

  #end(): string {
    const text = this.#text;
    const strays = this.#bare && text.place === "name" && text.isBlank();
    if (strays) {
      text.skipBlanks();
      if (!isOneOf(text.at(), ":,")) return "";
    }
    const isClosed = !strays && text.at() === this.#closing;
    if (isClosed) text.index += 1;
    const read = this.#read.join("");
    // Omits an incomplete surrogate pair.
    if (this.#growing) return isClosed ? read : read.replace(/[\uD800-\uDBFF]$/, "");
    return !isClosed || this.#bare || this.#last === "\n" ? stripRightLikePython(read) : read;
  }
}

/** Whether a character is one of these. At the end of the text the character is "", which matches only if `end` is set. */
function isOneOf(character: string, these: string, end?: ""): boolean {
  return character === "" ? end === "" : these.includes(character);
}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b" };
const WORD = /true|false|null/iy;
const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };
