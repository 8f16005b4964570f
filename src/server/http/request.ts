import { IncomingMessage, type IncomingHttpHeaders } from "node:http";
import { Head } from "./head.ts";

/** Who takes the pieces of a body as they are read from the socket. */
export interface PieceTaker {
  /** False where it wants no more. */
  take(piece: Buffer): boolean;
  /** The body is whole. Not told where the client leaves before. */
  end(): void;
}

/**
 * A request as Node's server makes it, with two costs less that every call would pay for: a body need not go through a
 * stream's queue, and the headers are not sorted into an object. `head` says what was sent; `headers` is only for Node.
 */
export class Request extends IncomingMessage {
  declare readonly headers: IncomingHttpHeaders;
  #head: Head | undefined;
  #taker: PieceTaker | undefined;
  #isHandedOver = false;

  get head(): Head {
    return (this.#head ??= new Head(this));
  }

  /** From now on, pieces of the body go to `taker` and nowhere else. To be said in the turn in which the request came. */
  handTo(taker: PieceTaker): void {
    this.#taker = taker;
    this.#isHandedOver = true;
  }

  /** Has pieces come again after `taker` wanted no more. */
  goOn(): void {
    // oxlint-disable-next-line no-underscore-dangle -- what Node's own stream would call once it has room
    this._read(0);
  }

  /** What Node's parser calls with each piece, and with null for the end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const taker = this.#taker;
    if (taker === undefined) return super.push(piece, encoding);
    if (piece !== null) return taker.take(piece);
    // An idle connection keeps its last request, which need not keep its body.
    this.#taker = undefined;
    taker.end();
    return true;
  }

  /** Node has whatever nobody read flow away once the reply is written: here nothing is left. */
  override resume(): this {
    return this.#isHandedOver ? this : super.resume();
  }

  static {
    Object.defineProperty(this.prototype, "headers", {
      // Asked once for every request of HTTP/1.1, for one header.
      get(this: Request) {
        const isPlain = this.httpVersion === "1.1" && this.head.expect === undefined;
        return isPlain ? NO_HEADERS : Reflect.get(IncomingMessage.prototype, "headers", this);
      },
    });
  }
}

const NO_HEADERS: IncomingHttpHeaders = {};
