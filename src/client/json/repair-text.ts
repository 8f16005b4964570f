import { isBlank } from "../python/blank.ts";

/** Where a reader of damaged JSON is: in a member's name, in its value, or among the items of an array. */
type Place = "name" | "value" | "item";

/** A damaged text, how far it was read, and what is open around that point. Offsets count from there. */
export class RepairText {
  index = 0;
  readonly #text: string;
  readonly #places: Place[] = [];
  readonly #open: Record<Place, number> = { name: 0, value: 0, item: 0 };
  /** The first and the last of the places where a brace is seen instead of what stands there. */
  #braces: readonly [first: number, last: number] = [Number.NaN, Number.NaN];
  /** By character, the last search for it: nothing is searched twice, however often a reader looks ahead. */
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

  /** The character at an offset; "" where the text has ended. */
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

  /** The first offset from here on that is not blank. */
  afterBlanks(offset: number): number {
    let after = offset;
    while (this.isBlank(after)) after += 1;
    return after;
  }

  /** The first offset from here on that has one of the characters, not escaped; else that of the text's end. */
  find(characters: string, offset: number): number {
    const places = Array.from(characters, (character) => this.#search(character, this.index + offset));
    return Math.min(...places) - this.index;
  }

  slice(from: number, to: number): string {
    return this.#text.slice(this.index + from, this.index + to);
  }

  /** What a sticky pattern matches from here on, which is then read. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.index;
    const [read = ""] = pattern.exec(this.#text) ?? [];
    this.index += read.length;
    return read;
  }

  /** Goes back to where an object lacks its brace, which takes the place of what was read before. The next one stands before it. */
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

  /** The character at an offset with both its halves, where it has two. */
  #whole(offset: number): string {
    return this.at(offset) + this.at(offset + 1);
  }
}

export const isQuote = (character: string): boolean => character !== "" && "\"'“”".includes(character);
