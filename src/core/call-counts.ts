/** What is known of identical calls of one stretch, by their scope and key. */
export class CallCounts {
  /** The highest number that an answer under way or kept was given, by key. */
  readonly numbered = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  /** Numbers of calls that are to be made again, lowest first. */
  readonly #free = new Map<string, readonly number[]>();

  /** Counts one call more of a name and gives its number: how many that are, or the lowest that is free. */
  count(name: string): number {
    const free = this.#free.get(name);
    const lowest = free?.[0];
    if (free !== undefined && lowest !== undefined) {
      this.#free.set(name, free.slice(1));
      return lowest;
    }
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    return calls;
  }

  /** The next call of this name gets this number. */
  free(name: string, number: number): void {
    const free = [...(this.#free.get(name) ?? []), number];
    this.#free.set(
      name,
      free.sort((a, b) => a - b),
    );
  }
}
