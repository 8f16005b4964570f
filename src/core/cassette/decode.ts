import { formatCommand, getProgramName, localize } from "../base/localize.ts";
import { createBrokenRecording, explain } from "../base/errors.ts";
import type { Key, TestRef, WireHeaders } from "../call/call.ts";
import { isJsonFault, createJsonFault, keepTree } from "../base/json/json-parse.ts";
import { isJsonArray, isJsonObject, type JsonTree, writeJson } from "../base/json/json-tree.ts";
import type { KeyedRequest } from "./recorded-request.ts";
import { readBody } from "../base/read-body.ts";
import { encodeUtf8, decodeUtf8, isHeaderName, isHeaderValue } from "../base/wire/text.ts";
import { isKey } from "./address.ts";
import { isLfsPointer, describeLfsPointer, withBlobs, type BlobSource } from "./blobs.ts";
import { decodeEvents, decodeJsonStyle } from "./decode-events.ts";
import { SESSION_STATUS } from "../call/transcript.ts";
import {
  readElements,
  createFileFault,
  decodeContent,
  findForm,
  readInteger,
  readMembers,
  readOptional,
  parseFile,
  requireMember,
  readNumber,
  readString,
  type FilePlace,
} from "./file-reader.ts";
import {
  NOT_KEPT,
  type RecordedReply,
  type RecordedRequest,
  type Recording,
  type RecordingAddress,
} from "./recording.ts";

export interface DecodeOptions extends BlobSource {
  /** Computes the key of the request that was read. A recording whose request has another key is refused. */
  readonly verifyKey?: (request: KeyedRequest) => Key;
}

/**
 * Reads a recording's file: JSON with comments and trailing commas, a byte order mark and any line ends.
 * @throws TapedeckError `tapedeck_cassette` with the first bad position, also where name and content disagree.
 */
export function decodeRecording(
  file: string | Uint8Array,
  address: RecordingAddress,
  options: DecodeOptions = {},
): Recording {
  const read = recordingParts(file, address, options);
  const { tree, ...request } = read.request;
  if (tree === undefined) return { ...read, request };
  const body = encodeUtf8(writeJson(tree));
  keepTree(body, tree);
  return { ...read, request: { ...request, body } };
}

/** Reads a recording for a replay: the JSON of the request is not written as bytes. @throws as `decodeRecording` */
export function decodeReply(
  file: string | Uint8Array,
  address: RecordingAddress,
  options: DecodeOptions = {},
): Recording {
  return recordingParts(file, address, options);
}

/** A request whose body may not be written yet. */
interface RequestParts extends RecordedRequest {
  /** A body of JSON, which `body` is without then. */
  readonly tree?: JsonTree;
}

type RecordingParts = Omit<Recording, "request"> & { readonly request: RequestParts };

function recordingParts(
  file: string | Uint8Array,
  address: RecordingAddress,
  options: DecodeOptions,
): RecordingParts {
  try {
    return partsAt(parseFile(textOfFile(file)), address, options);
  } catch (error) {
    if (error instanceof RangeError)
      throw createBrokenRecording(address.entry, localize("its values are nested too deeply."));
    if (!isJsonFault(error)) throw error;
    if (isLfsPointer(file))
      throw createBrokenRecording(address.entry, localize("it is {0}.", describeLfsPointer()));
    const { line, column } = error;
    throw createBrokenRecording(address.entry, localize("{0}.", error.reason), { line, column });
  }
}

function textOfFile(file: string | Uint8Array): string {
  const text = typeof file === "string" ? file : decodeUtf8(file);
  if (text !== undefined) return text.replace(/^\ufeff/, "");
  const lossy = new TextDecoder().decode(file as Uint8Array);
  throw createJsonFault(localize("it is not UTF-8"), lossy, Math.max(0, lossy.indexOf("\ufffd")));
}

function partsAt(file: FilePlace, address: RecordingAddress, options: DecodeOptions): RecordingParts {
  const members = readMembers(file);
  checkFormat(requireMember(file, members, "format"));
  const text = (name: string): string => readString(requireMember(file, members, name));
  const provider = sameAs(requireMember(file, members, "provider"), address.provider);
  const operation = text("operation");
  checkKey(requireMember(file, members, "key"), address.key);
  const recordedAt = timeAt(requireMember(file, members, "recordedAt"));
  const more = readOptional(members, {
    model: readString,
    origin: readString,
    test: testAt,
    cassettes: textsAt,
  });
  const places = [requireMember(file, members, "request"), requireMember(file, members, "reply")] as const;
  const blobs = members.get("blobs");
  const [requestPlace, replyPlace] = blobs === undefined ? places : withBlobs(places, blobs, options);
  const request = requestAt(requestPlace);
  const reply = replyAt(replyPlace);
  const { key } = address;
  const recording: RecordingParts = { provider, operation, key, recordedAt, ...more, request, reply };
  if (options.verifyKey) checkRequest(recording, requestPlace, options.verifyKey);
  return recording;
}

function checkFormat(place: FilePlace): void {
  const format = readInteger(place, 1);
  if (format > 1)
    throw createFileFault(
      place,
      localize("is {0}: it was written by a newer version of Tapedeck. Update Tapedeck to read it", format),
    );
}

function sameAs(place: FilePlace, expected: string): string {
  const found = readString(place);
  if (found !== expected)
    throw createFileFault(
      place,
      localize(
        "is {0}, but the file is in the folder of {1}",
        JSON.stringify(found),
        JSON.stringify(expected),
      ),
    );
  return found;
}

function checkKey(place: FilePlace, expected: Key): void {
  const found = readString(place);
  if (!isKey(found)) throw createFileFault(place, localize("must be sha256: and 64 lower-case hex digits"));
  if (found !== expected) throw createFileFault(place, localize("is not the key in the name of the file"));
}

function timeAt(place: FilePlace): string {
  const time = readString(place);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(time))
    throw createFileFault(place, localize("must be a time such as 2026-01-31T12:00:00.000Z"));
  return time;
}

function testAt(place: FilePlace): TestRef {
  const members = readMembers(place);
  return {
    file: readString(requireMember(place, members, "file")),
    name: textsAt(requireMember(place, members, "name")),
    ...readOptional(members, { line: lineAt, runner: readString, trial: lineAt, at: callSiteAt }),
  };
}

const textsAt = (place: FilePlace): readonly string[] => readElements(place).map(readString);

const lineAt = (place: FilePlace): number => readInteger(place, 1);

function callSiteAt(place: FilePlace): NonNullable<TestRef["at"]> {
  const members = readMembers(place);
  return {
    file: readString(requireMember(place, members, "file")),
    line: lineAt(requireMember(place, members, "line")),
  };
}

function requestAt(place: FilePlace): RequestParts {
  const members = readMembers(place);
  return {
    method: readString(requireMember(place, members, "method")),
    path: readString(requireMember(place, members, "path")),
    ...readOptional(members, {
      contentType: readString,
      headers: (headers) => headersAt(headers),
      values: (values) => [...readMembers(values)].map(([text, at]) => ({ text, origin: readString(at) })),
    }),
    ...requestBody(members),
  };
}

const NO_BYTES = new Uint8Array(0);

function requestBody(members: ReadonlyMap<string, FilePlace>): Pick<RequestParts, "body" | "tree"> {
  const form = findForm(members, ["body", "text", "base64"]);
  if (form === undefined) return { body: NO_BYTES };
  return form.step === "body" ? { body: NO_BYTES, tree: form.tree } : { body: decodeContent(form) };
}

/** Reads the reply of a file back to its bytes. @throws JsonFault where it is not one. */
function replyAt(place: FilePlace): RecordedReply {
  const members = readMembers(place);
  const status = requireMember(place, members, "status");
  const isSession = readInteger(status, 0) === SESSION_STATUS;
  const code = isSession ? SESSION_STATUS : readInteger(status, 200);
  if (code > 599) throw createFileFault(status, localize("must be an HTTP status from 200 to 599"));
  const head = readOptional(members, {
    statusText: headerValueAt,
    contentType: headerValueAt,
    headers: (headers) => headersAt(headers, NOT_KEPT),
  });
  const body = bodyAt(place, members, head.contentType);
  const timing = readOptional(members, {
    waitsMs: (waits) => readElements(waits).map((wait) => readNumber(wait, 0)),
    after: (counts) => readElements(counts).map((count) => readInteger(count, 0)),
  });
  return { status: code, ...head, body, ...timing };
}

/** Headers of a request, or of a reply without those that none keeps. */
function headersAt(place: FilePlace, notKept?: RegExp): WireHeaders {
  return [...readMembers(place)].map(([name, value]) => {
    if (!isHeaderName(name)) throw createFileFault(value, localize("has an invalid header name"));
    if (notKept?.test(name) === true)
      throw createFileFault(value, localize("is a header that recordings do not have"));
    return [name, headerValueAt(value)];
  });
}

/** What could stand in no header could not be sent either. */
function headerValueAt(place: FilePlace): string {
  const value = readString(place);
  if (isHeaderValue(value)) return value;
  throw createFileFault(place, localize("must be a header value: one line of characters up to U+00FF"));
}

function bodyAt(
  owner: FilePlace,
  members: ReadonlyMap<string, FilePlace>,
  contentType: string | undefined,
): Uint8Array {
  const form = findForm(members, ["body", "events", "text", "base64"]);
  const style = members.get("style");
  if (form === undefined)
    throw createFileFault(owner, localize('needs one of "body", "events", "text", and "base64"'));
  if (form.step === "events") return decodeEvents(form, style, contentType);
  if (form.step === "body") return encodeUtf8(writeJson(form.tree, style && decodeJsonStyle(style)));
  return decodeContent(form);
}

function checkRequest(
  { provider, operation, request, ...recording }: RecordingParts,
  place: FilePlace,
  verifyKey: (request: KeyedRequest) => Key,
): void {
  let key: Key;
  try {
    key = verifyKey({ provider, operation, ...request, body: readParts(request, operation) });
  } catch (error) {
    throw createFileFault(place, localize("is not a valid request ({0})", explain(error)));
  }
  if (key === recording.key) return;
  throw createFileFault(
    place,
    formatCommand(
      localize(
        "does not match the key of the file: it was edited, or the rules changed. Its key is now {0}; {1} check --fix renames the file",
        key,
        getProgramName(),
      ),
      localize(
        "does not match the key of the file: it was edited, or the rules changed. Its key is now {0}",
        key,
      ),
    ),
  );
}

/** Returns the kind that `readBody` would determine: an object or a list without a content type is JSON. */
function readParts({ tree, contentType, body }: RequestParts, operation: string): KeyedRequest["body"] {
  if (tree === undefined) return readBody({ body, operation, contentType });
  if (contentType === undefined && (isJsonArray(tree) || isJsonObject(tree))) return { kind: "json", tree };
  return readBody({ body: encodeUtf8(writeJson(tree)), operation, contentType });
}
