import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { badRequest, bodyTooLarge } from "../core/errors.ts";
import type { Head } from "./head.ts";

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

const DECODERS: Record<string, (() => NodeJS.ReadWriteStream) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads a request's body, content encoding undone.
 * @throws TapedeckError `tapedeck_too_large` past the limit, `tapedeck_bad_request` where it cannot be decoded.
 */
export function readRequestBody(request: IncomingMessage, head: Head): Promise<Uint8Array> {
  if ((head.contentLength ?? 0) > BODY_LIMIT_BYTES) return Promise.reject(bodyTooLarge(BODY_LIMIT_BYTES));
  const encoding = head.contentEncoding?.trim().toLowerCase() ?? "";
  return encoding === "" || encoding === "identity" ? collect(request) : decoded(request, encoding);
}

async function decoded(request: IncomingMessage, encoding: string): Promise<Uint8Array> {
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    throw badRequest(
      `its content encoding "${encoding}" is not known.`,
      "Send it as gzip, br, deflate or plain.",
    );
  }
  const decoder = createDecoder() as unknown as Readable & NodeJS.WritableStream;
  pipeline(request, decoder, () => {});
  try {
    return await collect(decoder);
  } catch (cause) {
    if (cause instanceof Error && "errno" in cause) {
      throw badRequest(`its body is not valid ${encoding}.`, "Check the content-encoding header.", cause);
    }
    throw cause;
  }
}

function collect(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > BODY_LIMIT_BYTES) {
        stream.pause();
        reject(bodyTooLarge(BODY_LIMIT_BYTES));
      } else {
        chunks.push(chunk);
      }
    });
    stream.on("end", () => {
      ended = true;
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    });
    // Every request closes in the end; an error is made only for the one that did so early.
    stream.on("close", () => {
      if (!ended) reject(stream.errored ?? new Error("The client left before its request was whole."));
    });
  });
}
