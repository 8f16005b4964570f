import { jsonOf } from "../base/read-body.ts";
import { jsonOrNone, parseJson } from "../base/json/json-parse.ts";
import {
  isJsonNumber,
  type JsonTree,
  detectStyle,
  isJsonArray,
  isJsonObject,
  writeJson,
} from "../base/json/json-tree.ts";
import { utf8, unicodeEscape } from "../base/wire/text.ts";
import { encodeBase64 } from "../base/base64.ts";
import { INLINE_BYTES, takeOutBlobs, type HashBytes } from "./blobs.ts";
import { framingOf } from "../base/wire/framing.ts";
import { storedMessages } from "./encode-messages.ts";
import { readStream, type StoredEvent } from "./events.ts";
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
  const size = recording.request.body.byteLength + recording.reply.body.byteLength;
  if (options.sha256 === undefined || size <= INLINE_BYTES)
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

/**
 * The text of a recording's file: two spaces a level, a final newline, and on one line what reads best so:
 * an event, a style, lists of numbers and of short names.
 */
export const fileText = (file: JsonTree): string => `${block(file, [])}\n`;

/** A value on one line, with blanks where a person would put them. */
function line(tree: JsonTree): string {
  if (isJsonArray(tree)) return `[${tree.map(line).join(", ")}]`;
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    const members = tree.members.map(([name, value]) => `${quote(name)}: ${line(value)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return scalar(tree);
}

/** An event: as the provider would write it, since there are many and long ones. */
function tight(tree: JsonTree): string {
  if (isJsonArray(tree)) return `[${tree.map(tight).join(",")}]`;
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    return `{${tree.members.map(([name, value]) => `${quote(name)}:${tight(value)}`).join(",")}}`;
  }
  return scalar(tree);
}

function block(tree: JsonTree, path: readonly string[]): string {
  if (path[0] === "reply" && path[1] === "events" && path.length === 3) return tight(tree);
  if (fitsOneLine(tree, path)) return line(tree);
  const indent = "  ".repeat(path.length + 1);
  const close = "  ".repeat(path.length);
  if (isJsonArray(tree)) {
    if (tree.length === 0) return "[]";
    const elements = tree.map((element, index) => indent + block(element, [...path, String(index)]));
    return `[\n${elements.join(",\n")}\n${close}]`;
  }
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) {
    if (tree.members.length === 0) return "{}";
    const members = tree.members.map(
      ([name, value]) => `${indent}${quote(name)}: ${block(value, [...path, name])}`,
    );
    return `{\n${members.join(",\n")}\n${close}}`;
  }
  return scalar(tree);
}

const ONE_LINE = new Set(["test/name", "test/at", "reply/style", "reply/waitsMs"]);

function fitsOneLine(tree: JsonTree, path: readonly string[]): boolean {
  if (path.length === 2 && (ONE_LINE.has(path.join("/")) || path[0] === "blobs")) return true;
  // Vectors: a line for each of their thousands of numbers would bury the rest of the file.
  return isJsonArray(tree) && tree.length > 0 && tree.every(isJsonNumber);
}

const scalar = (tree: JsonTree): string => (typeof tree === "string" ? quote(tree) : writeJson(tree));

/** Controls, byte order marks, line separators and direction marks, which editors hide or complain about. */
const INVISIBLE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const quote = (text: string): string => JSON.stringify(text).replace(INVISIBLE, unicodeEscape);
