import { doubled } from "./doubled.ts";

/** The SHA-256 of bytes as 32 characters up to U+00FF. */
export type Digest = (data: Uint8Array) => string;

const WORDS = 8;
const FIRST_SLOTS = 8;

/**
 * Values by digest. Of ten thousand values each look-up is memory that nobody touched for long, which is what it costs:
 * a `Map` goes from its bucket to entries and from these to the texts of their keys. Here a slot has the beginning of a
 * digest, and digests and values lie side by side in the order in which they came, which is often that of the look-ups.
 * Open addressing, half full at most.
 */
export class DigestMap<T extends object> {
  readonly #values: T[] = [];
  #digests = new Int32Array(FIRST_SLOTS * WORDS);
  /** Of each slot the first word of a digest and the number of its value, from 1; 0 where there is none. */
  #slots = new Int32Array(FIRST_SLOTS * 2);
  readonly #wanted = new Int32Array(WORDS);

  get(digest: string): T | undefined {
    this.#want(digest);
    const number = this.#numberAt(this.#slot());
    return number === 0 ? undefined : this.#values[number - 1];
  }

  set(digest: string, value: T): void {
    this.#want(digest);
    const slot = this.#slot();
    const number = this.#numberAt(slot);
    if (number === 0) this.#add(slot, value);
    else this.#values[number - 1] = value;
  }

  #numberAt(slot: number): number {
    return this.#slots[slot * 2 + 1] ?? 0;
  }

  #add(slot: number, value: T): void {
    const from = this.#values.length * WORDS;
    if (from === this.#digests.length) this.#digests = doubled(this.#digests);
    this.#digests.set(this.#wanted, from);
    const number = this.#values.push(value);
    this.#slots.set([this.#wanted[0] ?? 0, number], slot * 2);
    if (number * 4 > this.#slots.length) this.#slots = withTwiceTheSlots(this.#slots);
  }

  #want(digest: string): void {
    for (let word = 0; word < WORDS; word += 1) {
      const at = word * 4;
      const [low, high] = [pairAt(digest, at), pairAt(digest, at + 2)];
      this.#wanted[word] = low | (high << 16);
    }
  }

  /** Where the wanted digest is, or would be. */
  #slot(): number {
    const slots = this.#slots;
    const mask = (slots.length >> 1) - 1;
    const first = this.#wanted[0] ?? 0;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot * 2 + 1] ?? 0;
      if (number === 0 || (slots[slot * 2] === first && this.#isWanted(number))) return slot;
    }
  }

  /** Whether the digest of this number goes on as the wanted one. */
  #isWanted(number: number): boolean {
    const from = (number - 1) * WORDS;
    for (let word = 1; word < WORDS; word += 1)
      if (this.#digests[from + word] !== this.#wanted[word]) return false;
    return true;
  }
}

function withTwiceTheSlots(before: Int32Array): Int32Array<ArrayBuffer> {
  const slots = new Int32Array(before.length * 2);
  const mask = (slots.length >> 1) - 1;
  for (let from = 0; from < before.length; from += 2) {
    const [first = 0, number = 0] = [before[from], before[from + 1]];
    if (number === 0) continue;
    let slot = first & mask;
    while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask;
    slots.set([first, number], slot * 2);
  }
  return slots;
}

function pairAt(digest: string, at: number): number {
  return digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8);
}
