import type { WireHeaders } from "../../core/call/call.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { tryParseJson } from "../../core/base/json/json-parse.ts";
import { getMember, isJsonNumber, isJsonObject, type JsonObject } from "../../core/base/json/json-tree.ts";
import type { OperationRequest } from "../../core/match/read-request.ts";
import { readTextNow } from "./read-file.ts";
import { findParts, REQUEST, type NamedFile } from "./recording-reader.ts";

/** The path of a blob in place of a string. */
const IS_BLOB = /blobs\/[\da-f]{64}"/;

/** Bytes that hold most requests. A reply can be much longer. */
const BEGINNING = 16_384;

/** Reads a request as `readRequestOnly` does, from the first of these folders that has its recording. @throws if none can be read */
export function readRequestIn(
  [folder = "", ...others]: readonly string[],
  address: RecordingAddress,
): OperationRequest | undefined {
  const read = (most?: number): OperationRequest | undefined =>
    readRequestOnly(readTextNow(`${folder}/${address.entry}`, most) ?? "", address);
  try {
    return read(BEGINNING) ?? read();
  } catch (error) {
    if (others.length === 0) throw error;
    return readRequestIn(others, address);
  }
}

/**
 * Reads the request of a file that begins as `encodeRecording` writes it, without reading its reply. Undefined for any
 * other file, for one with blobs, and for a body that is not an object or a list of JSON: `decodeRecording` reads these.
 */
export function readRequestOnly(text: string, address: NamedFile): OperationRequest | undefined {
  const parts = findParts(text, address);
  if (parts === undefined) return undefined;
  const { operation, request, reply } = parts;
  // Without the comma before the reply.
  const written = text.slice(request + REQUEST.length - 2, reply - 1);
  if (IS_BLOB.test(written)) return undefined;
  const tree = tryParseJson(written);
  const [method, path, body, headers] = ["method", "path", "body", "headers"].map((name) =>
    getMember(tree, name),
  );
  const isSpecial = ["contentType", "values"].some((name) => getMember(tree, name) !== undefined);
  if (isSpecial || typeof method !== "string" || typeof path !== "string") return undefined;
  if (typeof body !== "object" || body === null || isJsonNumber(body)) return undefined;
  return {
    provider: address.provider,
    operation,
    method,
    path,
    body: { kind: "json", tree: body },
    ...(headers && isJsonObject(headers) && { headers: headers.members.flatMap(headerFrom) }),
  };
}

const headerFrom = ([name, value]: JsonObject["members"][number]): WireHeaders =>
  typeof value === "string" ? [[name, value]] : [];
