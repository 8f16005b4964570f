import { LARGE_BYTES } from "../large.ts";
import { joinBytes } from "../wire/text.ts";

/** A queue between one writer and one reader: `push` never waits, reading does; `room` is for a writer that can wait. */
export interface Channel {
  push(bytes: Uint8Array): void;
  /** Undefined where the reader keeps up; else resolves when it has caught up, or left, or the channel is closed. */
  room(): Promise<void> | undefined;
  /** Nobody is going to read any more: what is pushed from now on is dropped. */
  leave(): void;
  /** Ends the reading after what was pushed; with an error, the reader throws it. */
  close(error?: unknown): void;
  /** All that is to be read, where that is there, not much and without an error: then nothing is left to read. */
  whole(): Uint8Array | undefined;
  /** Can be read once. Whoever leaves the loop, early or at its end, calls `onLeave`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** So many bytes may wait for a reader before its writer does: 8 MiB. */
const WAITING_LIMIT_BYTES = 8 * 1_048_576;

export function createChannel(onLeave: () => void): Channel {
  return new Queue(onLeave);
}

class Queue implements Channel {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error: unknown } | undefined;
  #isLeft = false;
  #wake = (): void => {};
  #caughtUp = (): void => {};

  constructor(onLeave: () => void) {
    this.bytes = this.#read(onLeave);
  }

  push(bytes: Uint8Array): void {
    if (this.#isLeft || bytes.byteLength === 0) return;
    this.#pieces.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    this.#wake();
  }

  room(): Promise<void> | undefined {
    if (this.#waitingBytes <= WAITING_LIMIT_BYTES || this.#isLeft || this.#end !== undefined)
      return undefined;
    return new Promise((resolve) => (this.#caughtUp = resolve));
  }

  leave(): void {
    this.#isLeft = true;
    this.#pieces.length = 0;
    this.#caughtUp();
  }

  close(error?: unknown): void {
    this.#end ??= { error };
    this.#caughtUp();
    this.#wake();
  }

  whole(): Uint8Array | undefined {
    const isWhole = this.#end !== undefined && this.#end.error === undefined && !this.#isLeft;
    return isWhole && this.#waitingBytes <= LARGE_BYTES ? joinBytes(this.#pieces.splice(0)) : undefined;
  }

  async *#read(onLeave: () => void): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const next = this.#pieces.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.byteLength;
          if (this.#waitingBytes <= WAITING_LIMIT_BYTES) this.#caughtUp();
          yield next;
        } else if (this.#end === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else break;
      }
      if (this.#end.error !== undefined) throw this.#end.error;
    } finally {
      this.leave();
      onLeave();
    }
  }
}
