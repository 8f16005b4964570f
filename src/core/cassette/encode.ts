import { readJson } from "../base/read-body.ts";
import { tryParseJson, parseJson } from "../base/json/json-parse.ts";
import type { JsonStyle } from "../base/json/json-style.ts";
import {
  isJsonNumber,
  type JsonTree,
  detectStyle,
  isJsonArray,
  isJsonObject,
  writeJson,
} from "../base/json/json-tree.ts";
import { decodeUtf8, escapeUnicode } from "../base/wire/text.ts";
import { encodeBase64 } from "../base/base64.ts";
import { INLINE_BYTES, takeOutBlobs, type Extraction, type HashBytes } from "./blobs.ts";
import { chooseFraming } from "../base/wire/framing.ts";
import { encodeStoredMessages } from "./encode-messages.ts";
import { readStream, type StoredEvent, type StreamStyle } from "./events.ts";
import type { RecordedReply, RecordedRequest, Recording } from "./recording.ts";

/** A recording as files. */
export interface EncodedRecording {
  /** The file's text: two-space JSON with a final newline. */
  readonly text: string;
  /** The content of `blobs/<sha256>` by hash; empty if nothing is large. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/**
 * Writes a recording as the text of its file. The reply's bytes can be had back exactly, whatever they are;
 * of a JSON request the white space is not kept, which takes no part in its key.
 * Without `sha256` everything stays in the file.
 */
export function encodeRecording(
  recording: Recording,
  { sha256 }: { readonly sha256?: HashBytes } = {},
): EncodedRecording {
  const { provider, operation, model, key, recordedAt, origin, test, cassettes, request, reply } = recording;
  const size = request.body.byteLength + reply.body.byteLength;
  const blobs = new Map<string, Uint8Array>();
  const table: Extraction["table"] = [];
  const take: TakeOut =
    sha256 === undefined || size <= INLINE_BYTES
      ? (tree) => tree
      : (tree, pointer) => takeOutBlobs(tree, pointer, { sha256, blobs, table });
  const members: Members<string> = [
    ["format", "1"],
    ["provider", quote(provider)],
    ["operation", quote(operation)],
    ["model", model === undefined ? undefined : quote(model)],
    ["key", quote(key)],
    ["recordedAt", quote(recordedAt)],
    ["origin", origin === undefined ? undefined : quote(origin)],
    ["test", test && testText(test)],
    ["cassettes", cassettes && block(cassettes, 1)],
    ["request", block(take(requestTree(request, operation), "/request"), 1)],
    ["reply", replyText(reply, take)],
  ];
  const rows = table.map(([pointer, row]) => [pointer, line(row)] as const);
  const text = objectText([...members, ["blobs", rows.length > 0 ? objectText(rows, 1) : undefined]], 0);
  return { text: `${escapeInvisible(text)}\n`, blobs };
}

/** A value of the file without its large binaries; `pointer` is its place in the file. */
type TakeOut = (tree: JsonTree, pointer: string) => JsonTree;

/** Members in their order; those without a value are left out. */
type Members<T> = readonly (readonly [name: string, value: T | undefined])[];

function object(members: Members<JsonTree>) {
  return {
    members: members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  };
}

function testText({ file, name, line: number, runner, trial, at }: NonNullable<Recording["test"]>): string {
  const members: Members<string> = [
    ["file", quote(file)],
    ["name", line(name)],
    ["line", number?.toString()],
    ["runner", runner === undefined ? undefined : quote(runner)],
    ["trial", trial?.toString()],
    ["at", at && `{ "file": ${quote(at.file)}, "line": ${at.line} }`],
  ];
  return objectText(members, 1);
}

function requestTree(
  { method, path, contentType, headers, values, body }: RecordedRequest,
  operation: string,
): JsonTree {
  const head = [
    ["method", method],
    ["path", path],
    ["headers", headers && object(headers)],
    ["values", values && object(values.map(({ text, origin }) => [text, origin] as const))],
  ] as const;
  if (body.byteLength === 0) return object([...head, ["contentType", contentType]]);
  // A body that is not JSON in the key is stored as bytes, too.
  const tree = readJson({ body, contentType, operation });
  const stored = tree === undefined ? plainBody(body) : ({ name: "body", value: tree } as const);
  // An object or a list is recognized as JSON without a content type.
  const speaks = typeof tree === "object" && tree !== null && !isJsonNumber(tree);
  return object([...head, ["contentType", speaks ? undefined : contentType], [stored.name, stored.value]]);
}

function replyText(
  { status, statusText, contentType, headers, body, waitsMs, after }: RecordedReply,
  take: TakeOut,
): string {
  const writeField = (name: string, tree: JsonTree | undefined): string | undefined =>
    tree === undefined ? undefined : block(take(tree, `/reply/${name}`), 2);
  const stored = storedBody(body, contentType);
  const { style = {} } = stored;
  const members: Members<string> = [
    ["status", String(status)],
    ["statusText", writeField("statusText", statusText)],
    ["contentType", writeField("contentType", contentType)],
    ["headers", writeField("headers", headers && object(headers))],
    // The file has only what differs from the default.
    ["style", Object.keys(style).length === 0 ? undefined : line(parseJson(JSON.stringify(style)))],
    [
      stored.name,
      stored.name === "events" ? eventsText(stored.value, take) : writeField(stored.name, stored.value),
    ],
    ["waitsMs", waitsMs && `[${waitsMs.join(", ")}]`],
    ["after", after && `[${after.join(", ")}]`],
  ];
  return objectText(members, 1);
}

/** A body as the file has it, and the style under which writing it gives the same bytes. */
type StoredBody =
  | { readonly name: "events"; readonly value: readonly FileEvent[]; readonly style?: StreamStyle }
  | { readonly name: "body" | "text" | "base64"; readonly value: JsonTree; readonly style?: JsonStyle };

/** An event of a file: a value, or its text where that is known already. */
type FileEvent = { readonly tree: JsonTree } | { readonly written: string };

function storedBody(body: Uint8Array, contentType: string | undefined): StoredBody {
  const framing = chooseFraming(contentType);
  if (framing === "messages")
    return { name: "events", value: encodeStoredMessages(body).map((tree) => ({ tree })) };
  if (framing !== undefined) {
    const { events, style } = readStream(body, framing);
    // Lines that are no values each, such as one value over several lines, are text.
    if (framing === "lines" && !events.every(isPlainLine)) return plainBody(body);
    return { name: "events", value: events.map(fileEvent), style };
  }
  const text = decodeUtf8(body);
  const tree = text === undefined ? undefined : tryParseJson(text);
  const style = text === undefined || tree === undefined ? undefined : detectStyle(text, tree);
  return tree === undefined || style === undefined ? plainBody(body) : { name: "body", value: tree, style };
}

function plainBody(body: Uint8Array): { readonly name: "text" | "base64"; readonly value: string } {
  const text = decodeUtf8(body);
  return text === undefined ? { name: "base64", value: encodeBase64(body) } : { name: "text", value: text };
}

function isPlainLine(event: StoredEvent): boolean {
  return "json" in event || ("data" in event && event.style === undefined && event.pad === undefined);
}

function fileEvent(stored: StoredEvent): FileEvent {
  if ("json" in stored) {
    const name = stored.event === undefined ? "" : `"event":${quote(stored.event)},`;
    return { written: `{${name}"data":${stored.json}}` };
  }
  if ("raw" in stored) return { tree: object([["raw", stored.raw]]) };
  if ("base64" in stored) return { tree: object([["base64", stored.base64]]) };
  const { event } = stored;
  const more: Members<JsonTree> =
    "text" in stored
      ? [["text", stored.text]]
      : [
          ["data", stored.data],
          ["pad", stored.pad === undefined ? undefined : { number: String(stored.pad) }],
          // A plain event among others is marked as plain.
          ["style", stored.style && parseJson(JSON.stringify(stored.style))],
        ];
  return { tree: object([["event", event], ...more]) };
}

/** Writes one line per event, in the spelling of the provider, because streams have many and long events. */
function eventsText(events: readonly FileEvent[], take: TakeOut): string {
  const lines = events.map((event, index) =>
    "written" in event ? event.written : writeJson(take(event.tree, `/reply/events/${index}`)),
  );
  return listText(lines, 2);
}

// The text of a file: two spaces a level, and on one line what reads best so.

// They are put together piece by piece: joining lists would copy a long text once for each level around it.

function objectText(members: Members<string>, level: number): string {
  let text = "";
  for (const [name, value] of members)
    if (value !== undefined)
      text += `${text === "" ? "" : ","}${beginLine(level + 1)}${quote(name)}: ${value}`;
  return text === "" ? "{}" : `{${text}${beginLine(level)}}`;
}

function listText(elements: readonly string[], level: number): string {
  let text = "";
  for (const element of elements) text += `${text === "" ? "" : ","}${beginLine(level + 1)}${element}`;
  return text === "" ? "[]" : `[${text}${beginLine(level)}]`;
}

const beginLine = (level: number): string => `\n${"  ".repeat(level)}`;

function block(tree: JsonTree, level: number): string {
  if (isJsonArray(tree)) {
    // Vectors: a line for each of their thousands of numbers would bury the rest of the file.
    if (tree.length > 0 && tree.every(isJsonNumber)) return line(tree);
    return listText(
      tree.map((element) => block(element, level + 1)),
      level,
    );
  }
  if (!isJsonObject(tree)) return writeJson(tree);
  return objectText(
    tree.members.map(([name, value]) => [name, block(value, level + 1)]),
    level,
  );
}

/** A value on one line, with blanks where a person would put them. */
function line(tree: JsonTree): string {
  if (isJsonArray(tree)) return `[${tree.map(line).join(", ")}]`;
  if (!isJsonObject(tree)) return writeJson(tree);
  const members = tree.members.map(([name, value]) => `${quote(name)}: ${line(value)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Controls, byte order marks, line separators and direction marks, which editors hide or complain about. */
const INVISIBLE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Escapes what only the strings of a JSON text can have. */
const escapeInvisible = (json: string): string => json.replace(INVISIBLE, escapeUnicode);

const quote: (text: string) => string = JSON.stringify;
