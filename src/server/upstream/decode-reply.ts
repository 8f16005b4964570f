import { createTapedeckError, explain, type TapedeckError } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import { pipeline, type Duplex } from "node:stream";
import zlib from "node:zlib";

/**
 * The bytes of a reply, its content encodings undone, each as soon as it is known.
 * @throws TapedeckError `tapedeck_upstream` where an encoding is not known, or what was sent is not in it or is cut off.
 */
export async function* decodeReply(
  response: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const encodings = (contentEncoding ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length === 0) {
    yield* response;
    return;
  }
  if (encodings.length > MOST_ENCODINGS)
    throw createUndecodable(localize("The response has {0} content encodings", encodings.length));
  let bytes: AsyncIterable<Uint8Array> = response;
  // The last one was put on last.
  for (const encoding of encodings.reverse()) bytes = decode(bytes, encoding);
  yield* bytes;
}

/** Maximum content encodings of one response. One is usual; each needs its own memory, and some data decompresses to itself. */
const MOST_ENCODINGS = 5;

async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  // A length of nothing needs no decoder, and none of them takes it.
  if (first.done === true) return;
  const decoder = decoderFor(encoding, first.value);
  pipeline(restOf(first.value, iterator), decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (cause) {
    // Errors of the connection pass through the decoder.
    throw FROM_DECODER.test(String((cause as { readonly code?: unknown }).code))
      ? createUndecodable(
          localize("The response does not match its content encoding ({0})", explain(cause)),
          cause,
        )
      : cause;
  }
}

/** Error codes of Node's decoders. */
const FROM_DECODER = /^(?:Z_|ZSTD_|ERR__)/;

const createUndecodable = (what: string, cause?: unknown): TapedeckError =>
  createTapedeckError("tapedeck_upstream", what, {
    hint: localize("Have the server send responses without a content encoding, as Tapedeck asks it to."),
    cause,
  });

async function* restOf(first: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}

/** Emits decoded data immediately, because the encoder flushes after each event. */
const FLUSH = { flush: zlib.constants.Z_SYNC_FLUSH };

function decoderFor(encoding: string, first: Uint8Array): Duplex {
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip(FLUSH);
  // Some servers leave out the wrapper that RFC 9110 8.4.1.2 asks for; its low four bits are always 8.
  if (encoding === "deflate")
    return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(FLUSH) : zlib.createInflateRaw(FLUSH);
  if (encoding === "br") return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
  const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Duplex };
  if (encoding === "zstd" && createZstdDecompress) return createZstdDecompress(); // Node 22.15 or later
  throw createUndecodable(
    localize('The response has the content encoding "{0}", which this Node.js cannot decode', encoding),
  );
}
