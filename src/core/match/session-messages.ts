import { writeCanonicalJson, type Normalizer } from "./key/key.ts";
import { tryParseJson } from "../base/json/json-parse.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  mapStrings,
  writeJson,
  type JsonTree,
} from "../base/json/json-tree.ts";
import { encodeBase64 } from "../base/base64.ts";
import { encodeUtf8, decodeUtf8 } from "../base/wire/text.ts";
import type { SocketMessage } from "../call/socket.ts";
import type { Frame } from "../call/transcript.ts";

/*
 * Compares messages of sessions by meaning. Each session has other ids: those that the server gave out, and those that the
 * client made up. Both get a name by their position, so that two sessions with the same messages have the same texts.
 */

/** Names the ids of one session in the order in which they appear. */
export interface SessionIds {
  /** Names the ids of a server's frame. */
  readFrame(frame: Frame): void;
  /** Names the ids of a server's frame, and returns its text without ids and times. */
  frame(frame: Frame): string;
  /** Returns the text of a client's message with named ids. */
  message(message: SocketMessage): string;
  /** The ids by position: of the server, and of the client. */
  readonly server: readonly string[];
  readonly client: readonly string[];
}

/** Applies the project's rules to a message. */
export type NormalizeMessage = (message: JsonTree) => JsonTree;

/** Returns the project's rules for messages of a session. Each message is read like the body of a request. */
export function createMessageRules(
  request: Pick<Parameters<Normalizer["body"]>[0], "provider" | "operation" | "method" | "path">,
  normalize: Normalizer | undefined,
): NormalizeMessage {
  return (tree) => {
    const body = normalize?.body({ ...request, body: { kind: "json", tree } });
    return body?.kind === "json" ? body.tree : tree;
  };
}

/** Names of members with ids: `id`, `item_id`, `previousItemId`, and Gemini's `handle` of a session. */
const ID = /(?:^|_)id$|Id$|[hH]andle$/;
/** Names of members with times. */
const TIME = /(?:_at|At|^timestamp|^created)$/;

export function createSessionIds(normalize: NormalizeMessage = (tree) => tree): SessionIds {
  const server = createIdNames("s");
  const client = createIdNames("c");
  const ofServer = (name: string, value: string): string => {
    if (!ID.test(name) || value === "") return value;
    return (client.has(value) ? client : server).nameId(value);
  };
  const ofClient = (name: string, value: string, isTop: boolean): string => {
    if (!ID.test(name) || value === "") return value;
    if (server.has(value)) return server.nameId(value);
    const isMadeUp = (isTop && name === "event_id") || (name === "id" && looksRandom(value));
    return isMadeUp || client.has(value) ? client.nameId(value) : value;
  };
  return {
    readFrame(frame) {
      const tree = "text" in frame || "bytes" in frame ? readMessageJson(frame) : undefined;
      if (tree !== undefined) renameIds(tree, ofServer);
    },
    frame: (frame) => frameText(frame, (tree) => withoutTimes(renameIds(tree, ofServer))),
    message: (message) => messageText(message, (tree) => renameIds(normalize(tree), ofClient)),
    server: server.values,
    client: client.values,
  };
}

/** Names ids by their position: a NUL, the prefix, and a number from 0. */
function createIdNames(prefix: string) {
  const positions = new Map<string, number>();
  const values: string[] = [];
  return {
    values: values as readonly string[],
    has: (value: string): boolean => positions.has(value),
    nameId(value: string): string {
      if (!positions.has(value)) positions.set(value, values.push(value) - 1);
      return `\u0000${prefix}${positions.get(value)}`;
    },
  };
}

/** Whether a client made a value up: 8 characters or more with a digit, as ids of SDKs have. */
const looksRandom = (value: string): boolean => value.length >= 8 && /\d/.test(value);

/** Returns a copy of a message in which these ids are replaced. An id is replaced only if it is a whole string. */
export function replaceIds<T extends Frame>(frame: T, ids: ReadonlyMap<string, string>): T {
  if (ids.size === 0 || !("text" in frame || "bytes" in frame)) return frame;
  const text = "text" in frame ? frame.text : decodeUtf8(frame.bytes);
  if (text === undefined || ![...ids.keys()].some((id) => text.includes(id))) return frame;
  const tree = tryParseJson(text);
  if (tree === undefined) return frame;
  const replaced = writeJson(mapStrings(tree, "", (_, value) => ids.get(value) ?? value));
  return ("text" in frame ? { text: replaced } : { bytes: encodeUtf8(replaced) }) as T;
}

/**
 * Pairs the ids of two conversations with equal messages. The ids of the first are keys. The server's pieces of text
 * and audio are left out, because their number differs.
 */
export function pairIds(some: readonly Frame[], others: readonly Frame[]): ReadonlyMap<string, string> {
  const [first, second] = [idsIn(some), idsIn(others)];
  const paired = first.flatMap(([name, value], at) => {
    const [otherName, other] = second[at] ?? [];
    return other !== undefined && otherName === name && other !== value ? [[value, other] as const] : [];
  });
  return new Map(paired);
}

/** Whether a frame is a piece of a text or of audio. */
export const isPiece = (frame: Frame): boolean => "text" in frame && /"type": ?"[^"]*delta"/.test(frame.text);

function idsIn(frames: readonly Frame[]): readonly (readonly [name: string, value: string])[] {
  const found = new Map<string, string>();
  for (const frame of frames) {
    if (isPiece(frame) || !("text" in frame || "bytes" in frame)) continue;
    const tree = readMessageJson(frame);
    if (tree === undefined) continue;
    renameIds(tree, (name, value) => {
      if (ID.test(name) && name !== "event_id" && !found.has(value)) found.set(value, name);
      return value;
    });
  }
  return [...found].map(([value, name]) => [name, value]);
}

/** Returns the JSON of a message; undefined if it is not JSON. */
export function readMessageJson(message: SocketMessage): JsonTree | undefined {
  const text = "text" in message ? message.text : decodeUtf8(message.bytes);
  return text === undefined ? undefined : tryParseJson(text);
}

function frameText(frame: Frame, canonical: (tree: JsonTree) => JsonTree): string {
  if ("ping" in frame) return "ping";
  if ("close" in frame) return `close ${JSON.stringify(frame.close)}`;
  return messageText(frame, canonical);
}

/** Clients of one API send the same JSON as text or as bytes. */
function messageText(message: SocketMessage, canonical: (tree: JsonTree) => JsonTree): string {
  const tree = readMessageJson(message);
  if (tree !== undefined) return `json ${writeCanonicalJson(canonical(tree))}`;
  return "text" in message ? `text ${message.text}` : `bytes ${encodeBase64(message.bytes)}`;
}

function renameIds(
  tree: JsonTree,
  rename: (name: string, value: string, isTop: boolean) => string,
  name = "",
  depth = 0,
): JsonTree {
  if (typeof tree === "string") return rename(name, tree, depth === 1);
  if (typeof tree !== "object" || tree === null) return tree;
  if (isJsonArray(tree)) return tree.map((value) => renameIds(value, rename, name, depth + 1));
  if (!isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([key, value]) => [key, renameIds(value, rename, key, depth + 1)]),
  };
}

function withoutTimes(tree: JsonTree, name = ""): JsonTree {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isJsonNumber(tree)) return TIME.test(name) ? { number: "0" } : tree;
  if (isJsonArray(tree)) return tree.map((value) => withoutTimes(value, name));
  return { members: tree.members.map(([key, value]) => [key, withoutTimes(value, key)]) };
}
