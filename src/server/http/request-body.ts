import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { badRequest, bodyTooLarge } from "../../core/errors.ts";
import type { PieceTaker, Request } from "./request.ts";

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

const DECODERS: Record<string, (() => NodeJS.ReadWriteStream) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Who waits for a body. One of the two is called, once. */
export interface BodyReceiver {
  whole(body: Uint8Array): void;
  failed(error: unknown): void;
}

/**
 * Reads a request's body, content encoding undone. What fails is TapedeckError `tapedeck_too_large` past the limit,
 * `tapedeck_bad_request` where it cannot be decoded. Told by calls and not by a promise: every call pays for this.
 */
export function readRequestBody(request: Request, receiver: BodyReceiver): void {
  const { contentEncoding, contentLength = 0 } = request.head;
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (contentLength > BODY_LIMIT_BYTES) receiver.failed(bodyTooLarge(BODY_LIMIT_BYTES));
  else if (encoding === "" || encoding === "identity") request.handTo(new BodyPieces(receiver));
  else decode(request, encoding, receiver);
}

function decode(request: Request, encoding: string, receiver: BodyReceiver): void {
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = `its content encoding "${encoding}" is not known.`;
    receiver.failed(badRequest(why, "Send it as gzip, br, deflate or plain."));
    return;
  }
  const decoder = createDecoder() as unknown as Readable & NodeJS.WritableStream;
  const pieces = new BodyPieces(receiver);
  decoder.on("data", (piece: Buffer) => {
    if (!pieces.take(piece)) decoder.pause();
  });
  decoder.on("end", () => pieces.end());
  pipeline(request, decoder, (error) => {
    if (error) pieces.fail("errno" in error ? notValid(encoding, error) : error);
  });
}

function notValid(encoding: string, cause: Error): Error {
  return badRequest(`its body is not valid ${encoding}.`, "Check the content-encoding header.", cause);
}

/** Keeps the pieces of a body until it is whole. */
class BodyPieces implements PieceTaker {
  readonly #receiver: BodyReceiver;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #size = 0;
  #isTold = false;

  constructor(receiver: BodyReceiver) {
    this.#receiver = receiver;
  }

  take(piece: Buffer): boolean {
    this.#size += piece.byteLength;
    if (this.#size > BODY_LIMIT_BYTES) this.fail(bodyTooLarge(BODY_LIMIT_BYTES));
    else if (this.#first === undefined) this.#first = piece;
    else (this.#more ??= [this.#first]).push(piece);
    return !this.#isTold;
  }

  end(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const [first, more] = [this.#first ?? EMPTY, this.#more];
    this.#receiver.whole(more === undefined ? first : Buffer.concat(more, this.#size));
  }

  fail(error: Error): void {
    if (!this.#isTold) this.#receiver.failed(error);
    this.#isTold = true;
  }
}

const EMPTY = Buffer.alloc(0);
