import { decodeBase64, encodeBase64 } from "../base/base64.ts";
import { tryParseJson } from "../base/json/json-parse.ts";
import {
  getMember,
  isJsonArray,
  isJsonObject,
  mapStrings,
  writeJson,
  type JsonTree,
} from "../base/json/json-tree.ts";
import { isText, readFields, tryParsePlainJson } from "../base/lenient.ts";
import { readFrame } from "../base/wire/sse.ts";
import { encodeUtf8, joinBytes, decodeText, decodeUtf8 } from "../base/wire/text.ts";
import type { SocketClose, SocketMessage } from "./socket.ts";

/*
 * The session of a WebSocket as a recording. The body of its request is the list of the client's messages. The body of its
 * reply has one event for each frame of the server, named by its cause: "after 2" followed the client's second message.
 */

/** The content type of the reply of a session. Its body is framed like server-sent events. */
export const SESSION_TYPE = "application/vnd.tapedeck.session";

/** The status of the reply of a session: "Switching Protocols". */
export const SESSION_STATUS = 101;

/** A frame of the server. */
export type Frame = SocketMessage | { readonly ping: Uint8Array } | { readonly close: SocketClose };

/** A frame, and the number of the client's messages that preceded it. */
export interface CausedFrame {
  readonly after: number;
  readonly frame: Frame;
}

/** Returns the body of the recorded request. */
export function encodeSent(sent: readonly SocketMessage[]): Uint8Array {
  const track = createTrack(sent);
  const list = sent.map((message) => track.take(treeOf(message)));
  const audio = track.audio();
  if (audio !== undefined) list.push({ members: [[AUDIO, audio]] });
  return encodeUtf8(writeJson(list));
}

/** Returns the client's messages of a recorded request. Undefined if its body is not such a list. */
export function decodeSent(body: Uint8Array): readonly SocketMessage[] | undefined {
  const { text, audio } = cutAudio(decodeText(body), SENT_AUDIO, '"}]');
  const list = text === "" ? [] : tryParseJson(audio === undefined ? text : `${text}]`);
  if (list === undefined || !isJsonArray(list)) return undefined;
  return list.map((tree) => messageOf(withAudio(tree, audio)));
}

/** Returns the body of the recorded reply. */
export function encodeReceived(received: readonly CausedFrame[]): Uint8Array {
  const messages = received.flatMap(({ frame }) => ("text" in frame || "bytes" in frame ? [frame] : []));
  const track = createTrack(messages);
  const events = received.map(({ after, frame }) => {
    const { name, data } = eventOf(frame, track);
    return writeEvent(["after", after, ...(name === "" ? [] : [name])].join(" "), data);
  });
  const audio = track.audio();
  if (audio !== undefined) events.push(writeEvent("audio", audio));
  return encodeUtf8(events.join(""));
}

function writeEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** Returns the server's frames of a recorded reply. Undefined if its body is not a session. */
export function decodeReceived(body: Uint8Array): readonly CausedFrame[] | undefined {
  const { text, audio } = cutAudio(decodeText(body), RECEIVED_AUDIO, "\n\n");
  const frames: CausedFrame[] = [];
  for (const written of text.split("\n\n")) {
    if (written.trim() === "") continue;
    const { event = "", data } = readFrame(written);
    const [, after, name = ""] = EVENT_NAME.exec(event) ?? [];
    const frame = after === undefined || data === undefined ? undefined : frameOf(name, data, audio);
    if (frame === undefined) return undefined;
    frames.push({ after: Number(after), frame });
  }
  return frames;
}

/** Separates the audio at the end of a recorded body. It is much longer than the rest. */
function cutAudio(
  text: string,
  before: string,
  behind: string,
): { readonly text: string; readonly audio?: Uint8Array } {
  const start = text.lastIndexOf(before);
  if (start < 0 || !text.endsWith(behind)) return { text };
  const audio = decodeBase64(text.slice(start + before.length, -behind.length).trimStart());
  return audio === undefined ? { text } : { text: text.slice(0, start), audio };
}

/** What precedes the audio in the bodies that `encodeSent` and `encodeReceived` write. */
const SENT_AUDIO = ',{"$audio":"';
const RECEIVED_AUDIO = writeEvent("audio", "").trimEnd();

const EVENT_NAME = /^after (\d+)(?: ([a-z][a-z\d ]*))?$/;

/** Returns the event of a frame. A message of JSON on one line has no name. */
function eventOf(frame: Frame, track: Track): { readonly name: string; readonly data: string } {
  if ("ping" in frame) return { name: "ping", data: encodeBase64(frame.ping) };
  if ("close" in frame) return { name: "close", data: JSON.stringify(frame.close) };
  if ("text" in frame) {
    const { form, data } = textForm(frame.text, track);
    return { name: form.join(" "), data };
  }
  const text = decodeUtf8(frame.bytes);
  if (text === undefined) return { name: "base64", data: encodeBase64(frame.bytes) };
  const { form, data } = textForm(text, track);
  return { name: ["binary", ...form].join(" "), data };
}

/** Returns a text on one line, and how to restore it. Gemini indents its JSON. */
function textForm(text: string, track: Track): { readonly form: readonly string[]; readonly data: string } {
  if (!/[\r\n]/.test(text)) return { form: [], data: track.takeText(text) };
  const tree = tryParseJson(text);
  const data = tree === undefined ? "" : writeJson(tree);
  for (const form of tree === undefined ? [] : [["indented"], ["indented", "newline"], ["newline"]])
    if (restore(form, data) === text) return { form, data: track.takeText(data) };
  return { form: ["quoted"], data: JSON.stringify(text) };
}

function restore(form: readonly string[], data: string): string {
  if (form.includes("quoted")) return String(JSON.parse(data));
  const text = form.includes("indented")
    ? writeJson(tryParseJson(data) ?? data, { indent: 2, colon: ": " })
    : data;
  return form.includes("newline") ? `${text}\n` : text;
}

function frameOf(name: string, data: string, audio: Uint8Array | undefined): Frame | undefined {
  if (name === "close") return closeOf(data);
  if (name === "ping" || name === "base64") {
    const bytes = decodeBase64(data);
    return bytes === undefined ? undefined : name === "ping" ? { ping: bytes } : { bytes };
  }
  const form = name.split(" ");
  try {
    const text = restore(form, withAudioText(data, audio));
    return form.includes("binary") ? { bytes: encodeUtf8(text) } : { text };
  } catch {
    return undefined;
  }
}

function closeOf(data: string): Frame | undefined {
  const { code, reason } = readFields(tryParsePlainJson(data));
  return Number.isInteger(code) && isText(reason) ? { close: { code: Number(code), reason } } : undefined;
}

const AUDIO = "$audio";

/** Collects the audio of a session in one piece. A session has thousands of short pieces between the parts that people read. */
interface Track {
  take(tree: JsonTree): JsonTree;
  takeText(text: string): string;
  /** In Base64; undefined if there is none. */
  audio(): string | undefined;
}

/** Minimum characters of a text that is taken for audio. */
const SHORTEST_AUDIO = 256;
const PIECE = /^\$audio:(\d+)\+(\d+)$/;
const PIECES = /(?<=")\$audio:(\d+)\+(\d+)(?=")/g;

function createTrack(messages: readonly SocketMessage[]): Track {
  // A message could have a text that looks like a piece of this track.
  const isAmbiguous = messages.some((message) => "text" in message && message.text.includes("$audio:"));
  const pieces: Uint8Array[] = [];
  let length = 0;
  const take = (tree: JsonTree): JsonTree =>
    mapStrings(tree, "", (pointer, text) => {
      if (text.length < SHORTEST_AUDIO || !/\/(?:audio|data|delta)$/.test(pointer)) return text;
      const bytes = decodeBase64(text);
      if (bytes === undefined) return text;
      pieces.push(bytes);
      length += bytes.byteLength;
      return `$audio:${length - bytes.byteLength}+${bytes.byteLength}`;
    });
  return {
    take: (tree) => (isAmbiguous ? tree : take(tree)),
    takeText(text) {
      if (isAmbiguous || text.length < SHORTEST_AUDIO) return text;
      const tree = tryParseJson(text);
      return tree !== undefined && writeJson(tree) === text ? writeJson(take(tree)) : text;
    },
    audio: () => (pieces.length === 0 ? undefined : encodeBase64(joinBytes(pieces))),
  };
}

function withAudio(tree: JsonTree, audio: Uint8Array | undefined): JsonTree {
  if (audio === undefined) return tree;
  return mapStrings(tree, "", (_, text) => {
    const [, start = "", length = ""] = PIECE.exec(text) ?? [];
    return start === "" ? text : encodePiece(audio, start, length);
  });
}

const withAudioText = (text: string, audio: Uint8Array | undefined): string =>
  audio === undefined
    ? text
    : text.replace(PIECES, (_, start: string, length: string) => encodePiece(audio, start, length));

const encodePiece = (audio: Uint8Array, start: string, length: string): string =>
  encodeBase64(audio.subarray(Number(start), Number(start) + Number(length)));

/** A client's message as JSON. A message that is not a JSON object gets one that names its kind. */
function treeOf(message: SocketMessage): JsonTree {
  if ("text" in message) {
    const tree = tryParseJson(message.text);
    const isPlain = tree !== undefined && isJsonObject(tree) && !tree.members[0]?.[0].startsWith("$");
    return isPlain ? tree : { members: [["$text", message.text]] };
  }
  const text = decodeUtf8(message.bytes);
  const tree = text === undefined ? undefined : tryParseJson(text);
  return tree === undefined
    ? { members: [["$base64", encodeBase64(message.bytes)]] }
    : { members: [["$binary", tree]] };
}

function messageOf(tree: JsonTree): SocketMessage {
  const text = onlyMember(tree, "$text");
  if (typeof text === "string") return { text };
  const base64 = onlyMember(tree, "$base64");
  const bytes = typeof base64 === "string" ? decodeBase64(base64) : undefined;
  if (bytes !== undefined) return { bytes };
  const binary = onlyMember(tree, "$binary");
  return binary === undefined ? { text: writeJson(tree) } : { bytes: encodeUtf8(writeJson(binary)) };
}

function onlyMember(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  return tree !== undefined && isJsonObject(tree) && tree.members.length === 1
    ? getMember(tree, name)
    : undefined;
}
