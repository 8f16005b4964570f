import { localize } from "../../core/base/localize.ts";
import zlib from "node:zlib";
import type { Duplex } from "node:stream";
import { createBadRequest, createBodyTooLarge } from "../../core/base/errors.ts";
import { joinBytes } from "../../core/base/wire/text.ts";
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
  const isPlain = encoding === "" || encoding === "identity";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(request, isPlain ? undefined : encoding)) {
    size += piece.byteLength;
    if (size > BODY_LIMIT_BYTES) throw createBodyTooLarge(BODY_LIMIT_BYTES);
    pieces.push(piece);
  }
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
    throw createBadRequest(why, localize("Use gzip, br, deflate, or no encoding; zstd needs Node 22.15."));
  }
  const decoder = createDecoder();
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
