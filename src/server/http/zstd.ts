import { Duplex } from "node:stream";
import zlib from "node:zlib";
import { Decompress } from "fzstd";

/** Decodes Zstandard: by Node where it can (from 22.15 on), else by a library. */
export function createZstdDecoder(): Duplex {
  const own = (zlib as { readonly createZstdDecompress?: () => Duplex }).createZstdDecompress;
  return own === undefined ? Duplex.from(decodedByLibrary) : own();
}

/** The library unpacks all that it is given at once, which may be 32,000 times as much. */
const AT_ONCE_BYTES = 256;

/** @throws Error with an `errno`, as zlib's have: what came is no Zstandard, or is cut off. */
async function* decodedByLibrary(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
