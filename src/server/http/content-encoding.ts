import { createTapedeckError, explain, type TapedeckError } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import { pipeline, type Duplex } from "node:stream";
import zlib from "node:zlib";

/**
 * Returns the bytes of a body without its content encodings, each as soon as it is known.
 * @throws TapedeckError `tapedeck_upstream` where an encoding is not known, or what was sent is not in it or is cut off.
 */
export async function* removeContentEncoding(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const encodings = listEncodings(contentEncoding);
  const undecodable = explainUndecodable(contentEncoding);
  if (undecodable !== undefined) throw undecodable;
  let bytes: AsyncIterable<Uint8Array> = body;
  // The last one was put on last.
  for (const encoding of encodings.reverse()) bytes = decode(bytes, encoding);
  yield* bytes;
}

/** Returns why the content encodings of a response cannot be decoded here; undefined if they can. */
export function explainUndecodable(contentEncoding: string | undefined): TapedeckError | undefined {
  const encodings = listEncodings(contentEncoding);
  if (encodings.length > MOST_ENCODINGS)
    return createUndecodable(localize("The response has {0} content encodings", encodings.length));
  const unknown = encodings.find((encoding) => !isDecodable(encoding));
  return unknown === undefined
    ? undefined
    : createUndecodable(
        localize('The response has the content encoding "{0}", which this Node.js cannot decode', unknown),
      );
}

/** Names of no encoding. Some servers put the charset here. */
const NO_ENCODING = /^(?:|identity|none|utf-?8)$/;

function listEncodings(contentEncoding = ""): string[] {
  return contentEncoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NO_ENCODING.test(name));
}

/** Maximum content encodings of one response. One is usual; each needs its own memory, and some data decompresses to itself. */
const MOST_ENCODINGS = 5;

async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  // A length of nothing needs no decoder, and none of them takes it.
  if (first.done === true) return;
  const decoder = decoderFor(encoding, first.value);
  const input = { sizeBytes: 0 };
  pipeline(readRest(first.value, iterator, input), decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
    // Node 22 and 24 stop after the first frame of Zstandard, without an error.
    if (encoding === "zstd" && decoder.bytesWritten < input.sizeBytes)
      throw createUndecodable(localize("The response has more than one frame of Zstandard"));
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

/** Reads the bytes of a response from its first ones on, and counts them. */
async function* readRest(
  first: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
  input: { sizeBytes: number },
): AsyncGenerator<Uint8Array> {
  let piece = first;
  while (true) {
    input.sizeBytes += piece.byteLength;
    yield piece;
    const next = await iterator.next();
    if (next.done === true) return;
    piece = next.value;
  }
}

/** Emits decoded data immediately, because the encoder flushes after each event. */
const FLUSH = { flush: zlib.constants.Z_SYNC_FLUSH };

type Decoder = Duplex & Pick<zlib.Gunzip, "bytesWritten">;

/** The decoder of Zstandard, which Node has from 22.15 on. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Decoder };

const isDecodable = (encoding: string): boolean =>
  /^(?:(?:x-)?gzip|deflate|br)$/.test(encoding) ||
  (encoding === "zstd" && createZstdDecompress !== undefined);

function decoderFor(encoding: string, first: Uint8Array): Decoder {
  // Some servers leave out the wrapper that RFC 9110 8.4.1.2 asks for; its low four bits are always 8.
  if (encoding === "deflate")
    return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(FLUSH) : zlib.createInflateRaw(FLUSH);
  if (encoding === "br") return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
  return encoding === "zstd" && createZstdDecompress !== undefined
    ? createZstdDecompress()
    : zlib.createGunzip(FLUSH);
}
