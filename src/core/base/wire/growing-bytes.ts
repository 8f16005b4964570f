import { joinBytes } from "./text.ts";

/**
 * Zeros that threads share, where there is such memory (not on every page): who works on them aside needs no copy. For
 * bodies, which nobody changes once they are whole.
 */
export function sharedBytes(size: number): Uint8Array {
  const Memory = typeof SharedArrayBuffer === "undefined" ? ArrayBuffer : SharedArrayBuffer;
  return new Uint8Array(new Memory(size));
}

/** Pieces up to so many bytes wait to be joined at the end: most bodies are short. */
const SHORT = 1_048_576;

/**
 * Bytes that come piece by piece. Those of a long body are copied as they come: to join megabytes at its end would keep
 * others waiting. `expected`: how many there will be, where that was said.
 */
export class GrowingBytes {
  #pieces: Uint8Array[] = [];
  #whole: Uint8Array | undefined;
  #size = 0;
  #expected: number;

  constructor(expected = 0) {
    this.#expected = expected;
  }

  get size(): number {
    return this.#size;
  }

  /** There may be so many: memory for them is taken at once. */
  expect(expected: number): void {
    this.#expected = expected;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
    if (this.#size > SHORT) this.#moveOver();
  }

  /** All so far, without a copy where there was one piece alone. */
  all(): Uint8Array {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#size);
    if (this.#pieces.length > 1) this.#pieces = [joinBytes(this.#pieces)];
    return this.#pieces[0] ?? new Uint8Array(0);
  }

  clear(): void {
    this.#pieces = [];
    this.#whole = undefined;
    this.#size = 0;
  }

  #moveOver(): void {
    const waiting = joinBytes(this.#pieces);
    const before = this.#whole;
    if (before === undefined || before.byteLength < this.#size) {
      this.#whole = sharedBytes(Math.max(this.#expected, 4 * this.#size));
      if (before !== undefined) this.#whole.set(before);
    }
    this.#whole?.set(waiting, this.#size - waiting.byteLength);
    this.#pieces = [];
  }
}
