import { cutBody } from "../base/wire/framing.ts";
import { readMessage, type EventMessage } from "../base/wire/event-stream.ts";
import { tryParseJson, parseJson } from "../base/json/json-parse.ts";
import type { JsonStyle } from "../base/json/json-style.ts";
import {
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonTree,
  detectStyle,
  writeJson,
} from "../base/json/json-tree.ts";
import { encodeUtf8, decodeUtf8 } from "../base/wire/text.ts";
import { decodeBase64, encodeBase64 } from "../base/base64.ts";

/** Headers that Bedrock gives to every event, in this order; such an event is stored by its type alone. */
export const EVENT_HEADERS = [":event-type", ":content-type", ":message-type"] as const;
export const EVENT_VALUES = ["application/json", "event"] as const;

/** The member of an event's data that is JSON in base64 on the wire, and plain JSON in the file. */
export const INSIDE = "bytes";

/**
 * The messages of an AWS event stream as events of a file: `event`, or `headers` where these are not the usual ones;
 * and the payload as `data`, `text` or `base64`. A piece that is no message is base64 as a whole.
 */
export function encodeStoredMessages(body: Uint8Array): JsonTree[] {
  return cutBody(body, "messages").map((piece) => {
    const message = readMessage(piece);
    const head = typeof message === "string" ? undefined : headTree(message);
    if (typeof message === "string" || head === undefined)
      return { members: [["base64", encodeBase64(piece)]] };
    return { members: [...head, ...payloadMembers(message)] };
  });
}

type Members = JsonObject["members"];

/** Undefined if a name occurs twice, because an object cannot represent it, or if a header is not a text. */
function headTree({ headers, hasOtherHeaders }: EventMessage): Members | undefined {
  if (hasOtherHeaders === true) return undefined;
  const [type, ...others] = headers.map(({ value }) => value);
  const usual =
    headers.length === EVENT_HEADERS.length &&
    headers.every(({ name }, index) => name === EVENT_HEADERS[index]) &&
    others.every((value, index) => value === EVENT_VALUES[index]);
  if (usual && type !== undefined) return [["event", type]];
  if (new Set(headers.map(({ name }) => name)).size < headers.length) return undefined;
  return [["headers", { members: headers.map(({ name, value }) => [name, value]) }]];
}

function payloadMembers({ payload }: EventMessage): Members {
  const text = decodeUtf8(payload);
  if (text === undefined) return [["base64", encodeBase64(payload)]];
  const tree = tryParseJson(text);
  const style = tree === undefined ? undefined : detectStyle(text, tree);
  if (tree === undefined || style === undefined) return [["text", text]];
  const inner = withInside(tree);
  return [["data", inner ?? tree], ...(inner ? [["inside", INSIDE] as const] : []), ...styleMembers(style)];
}

/** The data with the JSON that one of its members wraps; undefined where there is none that could be wrapped again. */
function withInside(data: JsonTree): JsonTree | undefined {
  if (!isJsonObject(data)) return undefined;
  const wrapped = getMember(data, INSIDE);
  const bytes = typeof wrapped === "string" ? decodeBase64(wrapped) : undefined;
  const text = bytes && decodeUtf8(bytes);
  const tree = text === undefined ? undefined : tryParseJson(text);
  if (tree === undefined || typeof tree !== "object" || writeJson(tree) !== text) return undefined;
  return { members: data.members.map(([name, value]) => [name, name === INSIDE ? tree : value]) };
}

/** Puts the JSON back into its wrapping. */
export function withoutInside(data: JsonTree): JsonTree {
  if (!isJsonObject(data)) return data;
  const wrap = (tree: JsonTree): JsonTree => encodeBase64(encodeUtf8(writeJson(tree)));
  return { members: data.members.map(([name, value]) => [name, name === INSIDE ? wrap(value) : value]) };
}

function styleMembers(style: JsonStyle): Members {
  return Object.keys(style).length === 0 ? [] : [["style", parseJson(JSON.stringify(style))]];
}
