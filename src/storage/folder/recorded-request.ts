import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { tryParseJson } from "../../core/base/json/json-parse.ts";
import { getMember } from "../../core/base/json/json-tree.ts";
import type { Fields } from "../../core/base/lenient.ts";
import type { WrittenRequest } from "../../core/match/nearest/nearest.ts";
import { readBeginningNow, readTextNow } from "./read-file.ts";
import { findParts, REQUEST, type NamedFile } from "./recording-reader.ts";

/** The path of a blob in place of a string. */
const IS_BLOB = /blobs\/[\da-f]{64}"/;

/** Bytes that hold most requests. A reply can be much longer. */
const BEGINNING = 16_384;

/** Reads a request as `readRequestOnly` does, from the first of these folders that has its recording. @throws if none can be read */
export function readRequestIn(
  [folder = "", ...others]: readonly string[],
  address: RecordingAddress,
): WrittenRequest | undefined {
  const path = `${folder}/${address.entry}`;
  const readFrom = (text = ""): WrittenRequest | undefined => readRequestOnly(text, address);
  try {
    return readFrom(readBeginningNow(path, BEGINNING)) ?? readFrom(readTextNow(path).text);
  } catch (error) {
    if (others.length === 0) throw error;
    return readRequestIn(others, address);
  }
}

/** The request in a file that is as `encodeRecording` writes it. */
export interface RequestInFile extends WrittenRequest {
  readonly body: { readonly kind: "plain"; readonly json: object };
  readonly bodyText: string;
}

/** Before the body, which is the last member of a request. */
const BODY = '\n    "body": ';
const END = "\n  }";

/**
 * Reads the request of a file that begins as `encodeRecording` writes it, without reading its reply. Undefined for any
 * other file, for one with blobs, and for a body that is not an object or a list of JSON: `decodeRecording` reads these.
 */
export function readRequestOnly(
  text: string,
  address: NamedFile,
  parts = findParts(text, address),
): RequestInFile | undefined {
  if (parts === undefined) return undefined;
  // Without the comma before the reply.
  const written = text.slice(parts.request + REQUEST.length - 2, parts.reply - 1);
  if (IS_BLOB.test(written)) return undefined;
  const { method, path, body, headers, contentType, values } = parseFields(written);
  const isSpecial = contentType !== undefined || values !== undefined || headers === null;
  if (
    isSpecial ||
    typeof method !== "string" ||
    typeof path !== "string" ||
    typeof body !== "object" ||
    body === null
  )
    return undefined;
  const request = {
    provider: address.provider,
    operation: parts.operation,
    method,
    path,
    ...(headers !== undefined && {
      headers: Object.entries(headers as Fields).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value] as const] : [],
      ),
    }),
  };
  return {
    ...request,
    body: { kind: "plain", json: body },
    bodyText: written.slice(written.indexOf(BODY) + BODY.length, -END.length),
    readTree() {
      const tree = getMember(tryParseJson(written), "body");
      return tree === undefined ? undefined : { ...request, body: { kind: "json", tree } };
    },
  };
}

/** Returns the members of an object; none if its text is not JSON. */
function parseFields(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}
