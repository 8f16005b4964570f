import { doubled } from "./doubled.ts";

const FIRST_PLACES = 16;

/**
 * What is known of identical calls of one stretch, by their scope and key. How often they came lies side by side: among
 * many recordings an object for each is memory that was not touched for long.
 */
export class CallCounts {
  /** Entries of what a refresh made where nothing stood, by scope and key, once the last of it is written. */
  readonly made = new Map<string, Promise<ReadonlySet<string>>>();
  readonly #places = new Map<string, number>();
  #calls = new Int32Array(FIRST_PLACES);

  /** The place of a scope and key, which it has for good. */
  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(name, place);
    if (place === this.#calls.length) this.#calls = doubled(this.#calls);
    return place;
  }

  /** Counts one call more at a place and gives how many that are. */
  count(place: number): number {
    const calls = (this.#calls[place] ?? 0) + 1;
    this.#calls[place] = calls;
    return calls;
  }
}
