import { join } from "node:path";
import { explain } from "../core/base/errors.ts";
import { localize } from "../core/base/localize.ts";
import { readBytes } from "../storage/folder/read-file.ts";
import { explainUndecodable, removeContentEncoding } from "../server/http/content-encoding.ts";
import { type FoundMessage, findHeader } from "../core/formats/import/found.ts";
import { chooseFraming } from "../core/base/wire/framing.ts";
import { isJson, joinBytes, decodePlainUtf8 } from "../core/base/wire/text.ts";
import { tryParseJson } from "../core/base/json/json-parse.ts";

/** Maximum size of an imported body, also after decompression. */
const LONGEST_BYTES = 64 * 1_048_576;

/** Reason why a call is skipped, as the end of a sentence about it. */
export interface UndecodableBody {
  readonly skipped: string;
}

/**
 * Returns the decoded body of a message. It can be in a file beside the recording, in `folder`: a plain name, because a
 * recording of another person must not import other files.
 */
export async function readImportedBody(
  message: FoundMessage,
  folder: string,
): Promise<Uint8Array | UndecodableBody> {
  const { headers, bodyFile } = message;
  if (bodyFile === undefined) return decodeBody(message);
  const isPlainName = /^[\w-][\w.-]*$/.test(bodyFile);
  try {
    if (!isPlainName) throw new Error(localize("it is not a plain name"));
    return await decodeBody({ headers, body: await readBytes(join(folder, bodyFile)) });
  } catch (error) {
    return {
      skipped: localize(
        'keeps a body in the file "{0}", which cannot be read: {1}',
        bodyFile,
        explain(error),
      ),
    };
  }
}

/**
 * Decodes a body. Recorders keep the content encoding header whether or not they decode the body, so that the bytes
 * decide. Returns `skipped` if the encoding does not match or is unknown, or if the body is too long.
 */
export async function decodeBody({ headers, body }: FoundMessage): Promise<Uint8Array | UndecodableBody> {
  if (body.byteLength > LONGEST_BYTES) return tooLong();
  const encoding = findHeader(headers, "content-encoding");
  const type = findHeader(headers, "content-type");
  if (encoding === undefined || body.byteLength === 0 || isPlain(body, type)) return body;
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const piece of removeContentEncoding(once(body), encoding)) {
      sizeBytes += piece.byteLength;
      if (sizeBytes > LONGEST_BYTES) return tooLong();
      pieces.push(piece);
    }
  } catch {
    if (!looksEncoded(body, encoding)) return body;
    return {
      skipped:
        explainUndecodable(encoding) === undefined
          ? localize("has a body that does not match the content encoding in its headers")
          : localize('has a body in the content encoding "{0}", which this Node.js cannot decode', encoding),
    };
  }
  return joinBytes(pieces);
}

const tooLong = (): UndecodableBody => ({
  skipped: localize("has a body of more than {0} MiB", LONGEST_BYTES / 1_048_576),
});

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** Whether a body is readable JSON or events, and so not encoded. */
function isPlain(body: Uint8Array, type: string | undefined): boolean {
  const text = decodePlainUtf8(body);
  if (text === undefined) return false;
  return (
    (isJson(type) && tryParseJson(text) !== undefined) ||
    chooseFraming(type) === "events" ||
    chooseFraming(type) === "lines"
  );
}

/** Checks for the magic bytes of gzip and Zstandard; other encodings have none. Sources: RFC 1952 2.3.1, RFC 8878 3.1.1. */
function looksEncoded(body: Uint8Array, encoding: string): boolean {
  const starts = (...magic: readonly number[]): boolean => magic.every((byte, index) => body[index] === byte);
  return (
    starts(0x1f, 0x8b) ||
    starts(0x28, 0xb5, 0x2f, 0xfd) ||
    !/^(?:x-)?gzip$|^(?:br|deflate|zstd|identity)$/i.test(encoding)
  );
}
