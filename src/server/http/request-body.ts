import { localize } from "../../core/base/localize.ts";
import zlib from "node:zlib";
import { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createBadRequest, createBodyTooLarge } from "../../core/base/errors.ts";
import { joinBytes } from "../../core/base/wire/text.ts";
import { SMALL_BYTES, type Request, type Response } from "./messages.ts";

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

const DECODERS: Record<string, (() => NodeJS.ReadWriteStream) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecoder,
};

/** Where a body comes from. */
export interface BodySource {
  readonly request: Request;
  readonly response: Response;
  readonly room: BodyRoom;
}

/**
 * Reads a request's body, content encoding undone.
 * @throws TapedeckError `tapedeck_too_large` past the limit, `tapedeck_bad_request` if it cannot be decoded
 */
export async function readRequestBody(source: BodySource): Promise<Uint8Array> {
  const { request, response, room } = source;
  const { contentEncoding, contentLength } = request.head;
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if ((contentLength ?? 0) > BODY_LIMIT_BYTES) throw createBodyTooLarge(BODY_LIMIT_BYTES);
  const isPlain = encoding === "" || encoding === "identity";
  const expectedBytes = isPlain ? (contentLength ?? BODY_LIMIT_BYTES) : BODY_LIMIT_BYTES;
  const pieces: Uint8Array[] = [];
  let size = 0;
  let lease: Lease | undefined;
  const over = new AbortController();
  response.once("close", () => over.abort());
  for await (const piece of piecesOf(request, isPlain ? undefined : encoding)) {
    size += piece.byteLength;
    if (size > BODY_LIMIT_BYTES) throw createBodyTooLarge(BODY_LIMIT_BYTES);
    pieces.push(piece);
    // Reserves the most that the body can need until its response is over.
    if (size > SMALL_BYTES) lease ??= await room.take(expectedBytes, over.signal);
  }
  lease?.shrink(size);
  return joinBytes(pieces);
}

/** Yields the decoded chunks. If reading fails, the request stays open, so that its client receives the reason. */
async function* piecesOf(request: Request, encoding: string | undefined): AsyncGenerator<Uint8Array> {
  if (encoding === undefined) {
    yield* request.iterator({ destroyOnReturn: false });
    return;
  }
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = localize('its content encoding "{0}" is unknown.', encoding);
    throw createBadRequest(why, localize("Use gzip, br, deflate, zstd, or no encoding."));
  }
  const decoder = createDecoder() as unknown as Duplex;
  decoder.on("error", () => {}); // it can fail after its end, when nothing else listens
  request.once("error", (error) => decoder.destroy(error));
  request.once("aborted", () => decoder.destroy(new Error("the client left")));
  request.pipe(decoder);
  try {
    yield* decoder.iterator();
  } catch (error) {
    const isOfDecoder = error instanceof Error && "errno" in error;
    throw isOfDecoder
      ? createBadRequest(
          localize("its body is not valid {0}.", encoding),
          localize("Check the content-encoding header."),
          error,
        )
      : error;
  }
}

/** Decodes Zstandard: by Node where it can (from 22.15 on), else by a library. */
export function createZstdDecoder(): Duplex {
  const own = (zlib as { readonly createZstdDecompress?: () => Duplex }).createZstdDecompress;
  return own === undefined ? Duplex.from(decodedByLibrary) : own();
}

/** The library unpacks all that it is given at once, which may be 32,000 times as much. */
const AT_ONCE_BYTES = 256;

/** @throws Error with an `errno`, as zlib's have: what came is no Zstandard, or is cut off. */
async function* decodedByLibrary(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Node 22.15 and later need no library.
  const { Decompress } = await import("fzstd");
  let decoded: Uint8Array[] = [];
  const decoder = new Decompress((piece) => decoded.push(piece));
  const decode = (piece: Uint8Array, isLast: boolean): readonly Uint8Array[] => {
    decoded = [];
    try {
      decoder.push(piece, isLast);
    } catch (error) {
      throw Object.assign(error instanceof Error ? error : new Error(String(error)), { errno: -1 });
    }
    return decoded.filter(({ byteLength }) => byteLength > 0);
  };
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += AT_ONCE_BYTES)
      yield* decode(piece.subarray(at, at + AT_ONCE_BYTES), false);
  }
  yield* decode(new Uint8Array(), true);
}

/** Room for the large bodies of all requests under way, so that many at once do not fill the memory. */
export interface BodyRoom {
  /** Waits for room, first come, first served. `signal` gives it back, or ends the waiting, which rejects then. */
  take(bytes: number, signal: AbortSignal): Promise<Lease>;
}

/** The room of one request. */
export interface Lease {
  /** Gives back what is more than this. */
  shrink(bytes: number): void;
}

/** `limitBytes` for all together; one that wants more than that waits until it is alone. */
export function createBodyRoom(limitBytes: number): BodyRoom {
  const waiting = new Set<{ readonly bytes: number; take(): void }>();
  let heldBytes = 0;
  const letIn = (): void => {
    for (const next of waiting) {
      if (heldBytes > 0 && heldBytes + next.bytes > limitBytes) return;
      waiting.delete(next);
      next.take();
    }
  };
  return {
    take: (bytes, signal) =>
      new Promise((resolve, reject) => {
        let held = 0;
        const shrink = (left: number): void => {
          const kept = Math.min(held, left);
          heldBytes -= held - kept;
          held = kept;
          letIn();
        };
        const wish = {
          bytes,
          take(): void {
            held = bytes;
            heldBytes += bytes;
            resolve({ shrink });
          },
        };
        signal.addEventListener("abort", () => {
          waiting.delete(wish);
          shrink(0);
          reject(new Error("the client left"));
        });
        waiting.add(wish);
        letIn();
      }),
  };
}
