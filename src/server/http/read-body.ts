import type { Duplex, Readable } from "node:stream";
import zlib from "node:zlib";
import { createBadRequest, createBodyTooLarge } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import type { Request } from "./messages.ts";

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

/** Creates the decoder of a content encoding; undefined if this Node has none. Zstandard needs Node 22.15 or later. */
const DECODERS: Record<string, (() => Duplex) | undefined> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: (zlib as { readonly createZstdDecompress?: () => Duplex }).createZstdDecompress,
};

/**
 * Reads a request's body, content encoding undone.
 * @throws TapedeckError `tapedeck_too_large` past the limit, `tapedeck_bad_request` if it cannot be decoded
 */
export async function readRequestBody(request: Request): Promise<Uint8Array> {
  const { contentEncoding, contentLength } = request.head;
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if ((contentLength ?? 0) > BODY_LIMIT_BYTES) throw createBodyTooLarge(BODY_LIMIT_BYTES);
  return encoding === "" || encoding === "identity" ? collect(request) : collectDecoded(request, encoding);
}

/** Reads a stream to its end. If that fails, a request stays open, so that its client receives the reason. */
function collect(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const take = (piece: Uint8Array): void => {
      size += piece.byteLength;
      pieces.push(piece);
      if (size <= BODY_LIMIT_BYTES) return;
      stream.off("data", take).pause();
      reject(createBodyTooLarge(BODY_LIMIT_BYTES));
    };
    stream.on("data", take);
    stream.once("end", () => resolve(Buffer.concat(pieces)));
    stream.once("error", reject);
    stream.once("close", () => {
      if (!stream.readableEnded) reject(new Error("the client left"));
    });
  });
}

async function collectDecoded(request: Request, encoding: string): Promise<Uint8Array> {
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = localize('its content encoding "{0}" is unknown.', encoding);
    throw createBadRequest(why, localize("Use gzip, br, deflate, or no encoding; zstd needs Node 22.15."));
  }
  const decoder = createDecoder();
  decoder.on("error", () => {}); // it can fail after its end, when nothing else listens
  request.once("error", (error) => decoder.destroy(error));
  request.once("aborted", () => decoder.destroy(new Error("the client left")));
  request.pipe(decoder);
  try {
    return await collect(decoder);
  } catch (error) {
    const isOfDecoder = error instanceof Error && "errno" in error;
    throw isOfDecoder
      ? createBadRequest(
          localize("its body is not valid {0}.", encoding),
          localize("Check the content-encoding header."),
          error,
        )
      : error;
  } finally {
    decoder.destroy();
  }
}
