import { jsonOf } from "../match/key/read-body.ts";
import { jsonOrNone, parseJson } from "../json/json-parse.ts";
import { isJsonNumber, type JsonTree, detectStyle } from "../json/json-tree.ts";
import { utf8 } from "../wire/text.ts";
import { encodeBase64 } from "./base64.ts";
import { takeOutBlobs, type HashBytes } from "./blobs.ts";
import { framingOf } from "../wire/framing.ts";
import { storedMessages } from "./encode-messages.ts";
import { readStream, type StoredEvent } from "./events.ts";
import { fileText } from "./file-text.ts";
import type { RecordedReply, RecordedRequest, Recording } from "./recording.ts";

/** A recording as files. */
export interface EncodedRecording {
  /** The file's text: two-space JSON with a final newline. */
  readonly text: string;
  /** What goes to `blobs/<sha256>`, by that name; empty where nothing is large. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/**
 * Writes a recording as the text of its file. The reply's bytes can be had back exactly, whatever they are;
 * of a JSON request the white space is not kept, which takes no part in its key.
 * Without `sha256` everything stays in the file.
 */
export function encodeRecording(
  recording: Recording,
  options: { readonly sha256?: HashBytes } = {},
): EncodedRecording {
  const { provider, operation, model, key, recordedAt } = recording;
  const { origin, test, cassettes } = recording;
  const head = [
    ["format", numeral(1)],
    ["provider", provider],
    ["operation", operation],
    ["model", model],
    ["key", key],
    ["recordedAt", recordedAt],
    ["origin", origin],
    ["test", test && testTree(test)],
    ["cassettes", cassettes],
  ] as const;
  const bodies = object([
    ["request", requestTree(recording.request, operation)],
    ["reply", replyTree(recording.reply)],
  ]);
  if (options.sha256 === undefined)
    return { text: fileText(object([...head, ...bodies.members])), blobs: new Map() };
  const { tree, table, blobs } = takeOutBlobs(bodies, options.sha256);
  const members = typeof tree === "object" && tree !== null && "members" in tree ? tree.members : [];
  const rows = table.length > 0 ? { members: table } : undefined;
  return { text: fileText(object([...head, ...members, ["blobs", rows]])), blobs };
}

function testTree(test: NonNullable<Recording["test"]>): JsonTree {
  return object([
    ["file", test.file],
    ["name", test.name],
    ["line", numeral(test.line)],
    ["runner", test.runner],
    ["trial", numeral(test.trial)],
    [
      "at",
      test.at &&
        object([
          ["file", test.at.file],
          ["line", numeral(test.at.line)],
        ]),
    ],
  ]);
}

function requestTree(
  { method, path, contentType, headers, body }: RecordedRequest,
  operation: string,
): JsonTree {
  const head = [
    ["method", method],
    ["path", path],
    ["headers", headers && object(headers)],
  ] as const;
  if (body.byteLength === 0) return object([...head, ["contentType", contentType]]);
  // What is no JSON for its key either is kept as its bytes.
  const tree = jsonOf({ body, contentType, operation });
  if (tree === undefined) return object([...head, ["contentType", contentType], ...plainBody(body)]);
  // An object or a list says by its looks that it is JSON.
  const speaks = typeof tree === "object" && tree !== null && !isJsonNumber(tree);
  return object([...head, ["contentType", speaks ? undefined : contentType], ["body", tree]]);
}

function plainBody(body: Uint8Array): Members {
  const text = utf8(body);
  return text === undefined ? [["base64", encodeBase64(body)]] : [["text", text]];
}

function replyTree({ status, statusText, contentType, headers, body, waitsMs }: RecordedReply): JsonTree {
  return object([
    ["status", numeral(status)],
    ["statusText", statusText],
    ["contentType", contentType],
    ["headers", headers && object(headers)],
    ...replyBody(body, contentType),
    ["waitsMs", waitsMs?.map((wait) => numeral(wait))],
  ]);
}

function isPlainLine(event: StoredEvent): boolean {
  return "data" in event && event.style === undefined && event.pad === undefined;
}

function replyBody(body: Uint8Array, contentType: string | undefined): Members {
  const framing = framingOf(contentType);
  if (framing === "messages") return [["events", storedMessages(body)]];
  if (framing !== undefined) {
    const { events, style } = readStream(body, framing);
    // Lines that are no values each, such as one value over several lines, are text.
    if (framing === "lines" && !events.every(isPlainLine)) return plainBody(body);
    return [
      ["style", styleTree(style)],
      ["events", events.map(eventTree)],
    ];
  }
  const text = utf8(body);
  const tree = text === undefined ? undefined : jsonOrNone(text);
  const style = text === undefined || tree === undefined ? undefined : detectStyle(text, tree);
  return tree === undefined || style === undefined
    ? plainBody(body)
    : [
        ["style", styleTree(style)],
        ["body", tree],
      ];
}

function eventTree(stored: StoredEvent): JsonTree {
  if ("raw" in stored) return object([["raw", stored.raw]]);
  if ("base64" in stored) return object([["base64", stored.base64]]);
  if ("text" in stored)
    return object([
      ["event", stored.event],
      ["text", stored.text],
    ]);
  const { event, data, pad, style } = stored;
  return object([
    ["event", event],
    ["data", data],
    ["pad", numeral(pad)],
    // A plain event among others says so.
    ["style", style && parseJson(JSON.stringify(style))],
  ]);
}

/** Undefined where nothing differs from the default: a file says only what is special. */
function styleTree(style: object): JsonTree | undefined {
  return Object.keys(style).length === 0 ? undefined : parseJson(JSON.stringify(style));
}

type Members = readonly (readonly [name: string, value: JsonTree | undefined])[];

function object(members: Members) {
  return {
    members: members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  };
}

function numeral(value: number): JsonTree;
function numeral(value: number | undefined): JsonTree | undefined;
function numeral(value: number | undefined): JsonTree | undefined {
  return value === undefined ? undefined : { number: String(value) };
}
