/** The SHA-256 of bytes as 32 characters up to U+00FF. */
export type Digest = (data: Uint8Array) => string;

const WORDS = 8;
const FIRST_SLOTS = 8;

/**
 * Values by digest. Of ten thousand values each look-up is memory that nobody touched for long, which is what it costs:
 * a `Map` goes from its bucket to entries and from these to the texts of their keys, where here the digests themselves lie
 * side by side. Open addressing, half full at most.
 */
export class DigestMap<T extends object> {
  #values: (T | undefined)[] = emptySlots(FIRST_SLOTS);
  #digests = new Uint32Array(FIRST_SLOTS * WORDS);
  #size = 0;
  readonly #wanted = new Uint32Array(WORDS);

  get(digest: string): T | undefined {
    this.#want(digest);
    return this.#values[this.#slot()];
  }

  set(digest: string, value: T): void {
    this.#want(digest);
    if (this.#put(value)) this.#size += 1;
    if (this.#size * 2 > this.#values.length) this.#grow();
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
    const mask = this.#values.length - 1;
    let slot = (this.#wanted[0] ?? 0) & mask;
    while (this.#values[slot] !== undefined && !this.#isAt(slot)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAt(slot: number): boolean {
    const from = slot * WORDS;
    for (let word = 0; word < WORDS; word += 1)
      if (this.#digests[from + word] !== this.#wanted[word]) return false;
    return true;
  }

  /** Whether the wanted digest is new. */
  #put(value: T): boolean {
    const slot = this.#slot();
    const isNew = this.#values[slot] === undefined;
    this.#values[slot] = value;
    this.#digests.set(this.#wanted, slot * WORDS);
    return isNew;
  }

  #grow(): void {
    const [values, digests] = [this.#values, this.#digests];
    this.#values = emptySlots(values.length * 2);
    this.#digests = new Uint32Array(digests.length * 2);
    for (const [slot, value] of values.entries()) {
      if (value === undefined) continue;
      this.#wanted.set(digests.subarray(slot * WORDS, (slot + 1) * WORDS));
      this.#put(value);
    }
  }
}

function emptySlots<T>(count: number): (T | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}

function pairAt(digest: string, at: number): number {
  return digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8);
}
