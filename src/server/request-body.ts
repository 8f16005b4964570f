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

/** Who waits for a body. One of the two is called, once. */
export interface BodyReceiver {
  whole(body: Uint8Array): void;
  failed(error: unknown): void;
}

/**
 * Reads a request's body, content encoding undone. What fails is TapedeckError `tapedeck_too_large` past the limit,
 * `tapedeck_bad_request` where it cannot be decoded. Told by calls and not by a promise: every call pays for this.
 */
export function readRequestBody(request: IncomingMessage, head: Head, receiver: BodyReceiver): void {
  const encoding = head.contentEncoding?.trim().toLowerCase() ?? "";
  if ((head.contentLength ?? 0) > BODY_LIMIT_BYTES) receiver.failed(bodyTooLarge(BODY_LIMIT_BYTES));
  else if (encoding === "" || encoding === "identity") collect(request, receiver);
  else decode(request, encoding, receiver);
}

function decode(request: IncomingMessage, encoding: string, receiver: BodyReceiver): void {
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    const why = `its content encoding "${encoding}" is not known.`;
    receiver.failed(badRequest(why, "Send it as gzip, br, deflate or plain."));
    return;
  }
  const decoder = createDecoder() as unknown as Readable & NodeJS.WritableStream;
  pipeline(request, decoder, () => {});
  collect(decoder, {
    whole: (body) => receiver.whole(body),
    failed(cause) {
      const isDecoders = cause instanceof Error && "errno" in cause;
      const hint = "Check the content-encoding header.";
      receiver.failed(isDecoders ? badRequest(`its body is not valid ${encoding}.`, hint, cause) : cause);
    },
  });
}

function collect(stream: Readable, receiver: BodyReceiver): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  let isTold = false;
  const fail = (error: unknown): void => {
    if (!isTold) receiver.failed(error);
    isTold = true;
  };
  stream.on("data", (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > BODY_LIMIT_BYTES) {
      stream.pause();
      fail(bodyTooLarge(BODY_LIMIT_BYTES));
    } else if (first === undefined) {
      first = chunk;
    } else {
      more ??= [first];
      more.push(chunk);
    }
  });
  stream.on("end", () => {
    if (isTold) return;
    isTold = true;
    receiver.whole(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, size));
  });
  // Every request closes in the end; an error is made only for the one that did so early.
  stream.on("close", () => {
    if (!isTold) fail(stream.errored ?? new Error("The client left before its request was whole."));
  });
}
