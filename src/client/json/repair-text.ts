import { isBlank } from "../python/blank.ts";

/** Position of a reader in damaged JSON: in a member's name, in its value, or among the items of an array. */
type Place = "name" | "value" | "item";

/** A damaged text, the current index, and the open structures around it. Offsets are relative to the index. */
export class RepairText {
  index = 0;
  readonly #text: string;
  readonly #places: Place[] = [];
  readonly #open: Record<Place, number> = { name: 0, value: 0, item: 0 };
  /** First and last index at which the text is treated as an opening brace. */
  #braces: readonly [first: number, last: number] = [Number.NaN, Number.NaN];
  /** Last search for each character, so that repeated lookahead does not search again. */
  readonly #searches = new Map<string, { readonly from: number; readonly found: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.index >= this.#text.length;
  }

  get place(): Place | undefined {
    return this.#places.at(-1);
  }

  isWithin(place: Place): boolean {
    return this.#open[place] > 0;
  }

  enter(place: Place): void {
    this.#places.push(place);
    this.#open[place] += 1;
  }

  leave(): void {
    const left = this.#places.pop();
    if (left) this.#open[left] -= 1;
  }

  /** Returns the character at an offset; "" after the end of the text. */
  at(offset = 0): string {
    const place = this.index + offset;
    const [first, last] = this.#braces;
    return first <= place && place <= last ? "{" : this.#text.charAt(place);
  }

  isLetter(offset = 0): boolean {
    return /^\p{L}/u.test(this.#whole(offset));
  }

  isDigit(): boolean {
    return /^\p{Nd}/u.test(this.#whole(0));
  }

  isLetterOrNumber(): boolean {
    return /^[\p{L}\p{N}]/u.test(this.#whole(0));
  }

  isBlank(offset = 0): boolean {
    return this.at(offset) !== "" && isBlank(this.at(offset));
  }

  skipBlanks(): void {
    this.index += this.afterBlanks(0);
  }

  /** Returns the first offset from here that is not white space. */
  afterBlanks(offset: number): number {
    let after = offset;
    while (this.isBlank(after)) after += 1;
    return after;
  }

  /** Returns the first offset from here with one of the characters unescaped, or the end of the text. */
  find(characters: string, offset: number): number {
    const places = Array.from(characters, (character) => this.#search(character, this.index + offset));
    return Math.min(...places) - this.index;
  }

  slice(from: number, to: number): string {
    return this.#text.slice(this.index + from, this.index + to);
  }

  /** Consumes and returns the match of a sticky pattern at the index. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.index;
    const [read = ""] = pattern.exec(this.#text) ?? [];
    this.index += read.length;
    return read;
  }

  /** Returns to the start of an object without its brace, and inserts the brace before it. */
  openObjectAt(index: number): void {
    const [first, last] = this.#braces;
    this.index = index - 1;
    this.#braces = [this.index, index === first ? last : this.index];
  }

  #search(character: string, from: number): number {
    const known = this.#searches.get(character);
    if (known && known.from <= from && from <= known.found) return known.found;
    let found = this.#text.indexOf(character, from);
    while (this.#text[found - 1] === "\\") found = this.#text.indexOf(character, found + 1);
    if (found === -1) found = this.#text.length;
    this.#searches.set(character, { from, found });
    return found;
  }

  /** Returns the code point at an offset, which can have two code units. */
  #whole(offset: number): string {
    return this.at(offset) + this.at(offset + 1);
  }
}

export const isQuote = (character: string): boolean => character !== "" && "\"'“”".includes(character);
