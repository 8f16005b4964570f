import { Duplex } from "node:stream";

/** Two ends of a connection inside this process: what is written to one is read from the other. */
export function memorySockets(): readonly [Duplex, Duplex] {
  const one = new End();
  const other = new End(one);
  return [one, other];
}

class End extends Duplex {
  #other: End | undefined;
  /** Says that the other end may write again. */
  #taken: (() => void) | undefined;

  constructor(other?: End) {
    super({ allowHalfOpen: false });
    this.#other = other;
    if (other !== undefined) other.#other = this;
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed) return done();
    if (other.push(piece)) done();
    else other.#taken = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#taken?.();
    done(error);
    other?.destroy();
  }
}
