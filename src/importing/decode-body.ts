import { decodeReply } from "../server/upstream/decode-reply.ts";
import { type FoundMessage, headerValue } from "../core/formats/import/found.ts";
import { framingOf } from "../core/base/wire/framing.ts";
import { isJson, joinBytes, plainUtf8 } from "../core/base/wire/text.ts";
import { jsonOrNone } from "../core/base/json/json-parse.ts";

/** Longer bodies are not imported; of what unpacks to more, no more than this is ever held. */
const LONGEST_BYTES = 64 * 1_048_576;

/** Why a call is left out, as the end of a sentence about it. */
export interface NotDecoded {
  readonly skipped: string;
}

/**
 * A body as its reader sees it. Recorders keep the headers of the wire and decode the body, or do not: the bytes tell.
 * `skipped` where it is in an encoding that it is not, or that is not known, or is too long.
 */
export async function decodedBody({ headers, body }: FoundMessage): Promise<Uint8Array | NotDecoded> {
  if (body.byteLength > LONGEST_BYTES) return TOO_LONG;
  const encoding = headerValue(headers, "content-encoding");
  const type = headerValue(headers, "content-type");
  if (encoding === undefined || body.byteLength === 0 || isPlain(body, type)) return body;
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const piece of decodeReply(once(body), encoding)) {
      sizeBytes += piece.byteLength;
      if (sizeBytes > LONGEST_BYTES) return TOO_LONG;
      pieces.push(piece);
    }
  } catch {
    return looksEncoded(body, encoding) ? NOT_IN_IT : body;
  }
  return joinBytes(pieces);
}

const TOO_LONG: NotDecoded = { skipped: `has a body of more than ${LONGEST_BYTES / 1_048_576} MiB` };
const NOT_IN_IT: NotDecoded = {
  skipped: "has a body that is not in the content encoding that its headers say",
};

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** JSON and events that can be read as such are in no encoding. */
function isPlain(body: Uint8Array, type: string | undefined): boolean {
  const text = plainUtf8(body);
  if (text === undefined) return false;
  return (
    (isJson(type) && jsonOrNone(text) !== undefined) ||
    framingOf(type) === "events" ||
    framingOf(type) === "lines"
  );
}

/** The first bytes of gzip and Zstandard; the others have none of their own. Sources: RFC 1952 2.3.1, RFC 8878 3.1.1. */
function looksEncoded(body: Uint8Array, encoding: string): boolean {
  const starts = (...magic: readonly number[]): boolean => magic.every((byte, index) => body[index] === byte);
  return (
    starts(0x1f, 0x8b) ||
    starts(0x28, 0xb5, 0x2f, 0xfd) ||
    !/^(?:x-)?gzip$|^(?:br|deflate|zstd|identity)$/i.test(encoding)
  );
}
