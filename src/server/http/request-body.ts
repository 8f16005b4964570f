import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { badRequest, bodyTooLarge } from "../../core/errors.ts";
import { GrowingBytes } from "../../core/wire/growing-bytes.ts";
import type { BodyRoom, Lease } from "../guard/body-room.ts";
import type { Request, Response } from "./node-messages.ts";
import { createZstdDecoder } from "./zstd.ts";

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

/** Smaller bodies wait for no room: whatever else is sent, these are served. */
const SMALL_BYTES = 1_048_576;

const DECODERS: Record<string, (() => NodeJS.ReadWriteStream) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecoder,
};

/** Who waits for a body. One of the two is called, once. */
export interface BodyReceiver {
  whole(body: Uint8Array): void;
  failed(error: unknown): void;
}

/** Where a body comes from. */
export interface BodySource {
  readonly request: Request;
  readonly response: Response;
  readonly room: BodyRoom;
}

/**
 * Reads a request's body, content encoding undone. What fails is TapedeckError `tapedeck_too_large` past the limit,
 * `tapedeck_bad_request` where it cannot be decoded. Told by calls and not by a promise: every call pays for this.
 */
export function readRequestBody(source: BodySource, receiver: BodyReceiver): void {
  const { request } = source;
  const { contentEncoding, contentLength = 0 } = request.head;
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (contentLength > BODY_LIMIT_BYTES) receiver.failed(bodyTooLarge(BODY_LIMIT_BYTES));
  else if (encoding === "" || encoding === "identity") {
    const sizeBytes = request.head.contentLength ?? BODY_LIMIT_BYTES;
    takePieces(request, new BodyPieces(source, receiver, { sizeBytes, goOn: () => void request.resume() }));
  } else decode(source, encoding, receiver);
}

function decode(source: BodySource, encoding: string, receiver: BodyReceiver): void {
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = `its content encoding "${encoding}" is not known.`;
    receiver.failed(badRequest(why, "Send it as gzip, br, deflate, zstd or plain."));
    return;
  }
  const decoder = createDecoder() as unknown as Readable & NodeJS.WritableStream;
  const coming = { sizeBytes: BODY_LIMIT_BYTES, goOn: () => void decoder.resume() };
  const pieces = new BodyPieces(source, receiver, coming);
  takePieces(decoder, pieces);
  const fail = (error: Error): void => pieces.fail("errno" in error ? notValid(encoding, error) : error);
  // A body that is cut off is found out when all of it was taken, and then the pipeline listens no more.
  decoder.on("error", fail);
  pipeline(source.request, decoder, (error) => {
    if (error) fail(error);
  });
}

function takePieces(stream: Readable, pieces: BodyPieces): void {
  stream.on("data", (piece: Buffer) => {
    if (!pieces.take(piece)) stream.pause();
  });
  stream.on("end", () => pieces.end());
}

function notValid(encoding: string, cause: Error): Error {
  return badRequest(`its body is not valid ${encoding}.`, "Check the content-encoding header.", cause);
}

/** What is known of a body before it comes. */
interface Coming {
  /** At most. */
  readonly sizeBytes: number;
  /** Has the pieces go on. */
  readonly goOn: () => void;
}

/** Keeps the pieces of a body until it is whole. */
class BodyPieces {
  readonly #source: BodySource;
  readonly #receiver: BodyReceiver;
  readonly #coming: Coming;
  #lease: Lease | undefined;
  #bytes: GrowingBytes | undefined;
  /** A body that came in one piece, as most do. */
  #whole: Uint8Array | undefined;
  #isTold = false;

  constructor(source: BodySource, receiver: BodyReceiver, coming: Coming) {
    this.#source = source;
    this.#receiver = receiver;
    this.#coming = coming;
  }

  take(piece: Buffer): boolean {
    if (piece.byteLength === this.#coming.sizeBytes && piece.byteLength <= SMALL_BYTES) {
      this.#whole = piece;
      return true;
    }
    const bytes = (this.#bytes ??= new GrowingBytes());
    const size = bytes.size + piece.byteLength;
    if (size > BODY_LIMIT_BYTES) this.fail(bodyTooLarge(BODY_LIMIT_BYTES));
    if (this.#isTold) return false;
    const hasRoom = size <= SMALL_BYTES || this.#hasRoom();
    // A length that is said takes no memory before there is room for it.
    if (size > SMALL_BYTES && hasRoom) bytes.expect(this.#coming.sizeBytes);
    bytes.push(piece);
    return hasRoom;
  }

  end(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#lease?.shrink(this.#bytes?.size ?? 0);
    this.#receiver.whole(this.#whole ?? this.#bytes?.all() ?? new Uint8Array());
  }

  fail(error: Error): void {
    if (!this.#isTold) this.#receiver.failed(error);
    this.#isTold = true;
    this.#bytes?.clear();
    this.#lease?.free();
  }

  /** All of the room that the body may need, for as long as its request is under way; what was read until then stays. */
  #hasRoom(): boolean {
    if (this.#lease === undefined) {
      const { room, response } = this.#source;
      const lease = room.take(this.#coming.sizeBytes, this.#coming.goOn);
      this.#lease = lease;
      response.once("close", () => lease.free());
    }
    return this.#lease.isTaken;
  }
}
