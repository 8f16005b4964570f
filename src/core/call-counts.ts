import { doubled } from "./doubled.ts";
import type { Key } from "./call.ts";

const FIRST_PLACES = 16;

/**
 * What is known of identical calls of one stretch, by their scope and key. How often they came lies side by side: among
 * many recordings an object for each is memory that was not touched for long.
 */
export class CallCounts {
  /** Entries of what a refresh made where nothing stood, by scope and key, once the last of it is written. */
  readonly made = new Map<string, Promise<ReadonlySet<string>>>();
  /** The highest number that an answer under way or kept was given, by key. */
  readonly numbered = new Map<Key, number>();
  readonly #places = new Map<string, number>();
  /** Numbers of calls that are to be made again, by place. */
  readonly #free = new Map<number, number[]>();
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

  /** Counts one call more at a place and gives its number: how many that are, or the lowest that is free. */
  count(place: number): number {
    if (this.#free.size > 0) {
      const free = this.#free.get(place);
      const lowest = free?.shift();
      if (free?.length === 0) this.#free.delete(place);
      if (lowest !== undefined) return lowest;
    }
    const calls = (this.#calls[place] ?? 0) + 1;
    this.#calls[place] = calls;
    return calls;
  }

  /** The next call at this place gets this number. */
  free(place: number, number: number): void {
    const free = [...(this.#free.get(place) ?? []), number];
    this.#free.set(
      place,
      free.sort((a, b) => a - b),
    );
  }
}
