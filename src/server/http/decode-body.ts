import type { IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import zlib from "node:zlib";
import { createBadRequest } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";

/** Creates the decoder of a content encoding; undefined if this Node has none. Zstandard needs Node 22.15 or later. */
const DECODERS: Record<string, (() => Duplex) | undefined> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: (zlib as { readonly createZstdDecompress?: () => Duplex }).createZstdDecompress,
};

/** Returns what `collect` reads of a request's body without its content encoding. @throws TapedeckError if it cannot be decoded */
export async function decodeBody<T>(
  request: IncomingMessage,
  encoding: string,
  collect: (stream: Readable) => Promise<T>,
): Promise<T> {
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
