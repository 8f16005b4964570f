import type { Duplex } from "node:stream";
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
  if ((contentLength ?? 0) > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
  const isPlain = encoding === "" || encoding === "identity";
  const expectedBytes = isPlain ? (contentLength ?? BODY_LIMIT_BYTES) : BODY_LIMIT_BYTES;
  const bytes = new GrowingBytes();
  let lease: Lease | undefined;
  const over = new AbortController();
  response.once("close", () => over.abort());
  try {
    for await (const piece of piecesOf(request, isPlain ? undefined : encoding)) {
      if (bytes.size + piece.byteLength > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
      bytes.push(piece);
      if (bytes.size <= SMALL_BYTES || lease !== undefined) continue;
      // What the body may need, for as long as its request is under way.
      lease = await room.take(expectedBytes, over.signal);
      bytes.expect(expectedBytes);
    }
  } catch (error) {
    over.abort();
    throw error;
  }
  lease?.shrink(bytes.size);
  return bytes.all();
}

/** A request stays open if reading it fails: its client is told why. */
async function* piecesOf(request: Request, encoding: string | undefined): AsyncGenerator<Uint8Array> {
  if (encoding === undefined) {
    yield* request.iterator({ destroyOnReturn: false });
    return;
  }
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = `its content encoding "${encoding}" is not known.`;
    throw badRequest(why, "Send it as gzip, br, deflate, zstd or plain.");
  }
  const decoder = createDecoder() as unknown as Duplex;
  request.once("error", (error) => decoder.destroy(error));
  request.once("aborted", () => decoder.destroy(new Error("the client left")));
  request.pipe(decoder);
  try {
    yield* decoder.iterator();
  } catch (error) {
    const isOfDecoder = error instanceof Error && "errno" in error;
    throw isOfDecoder
      ? badRequest(`its body is not valid ${encoding}.`, "Check the content-encoding header.", error)
      : error;
  }
}
