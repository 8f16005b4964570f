import type { Recording } from "../../../core/cassette/recording.ts";
import type { Key } from "../../../core/call/call.ts";
import {
  isJsonArray,
  getMember,
  type JsonTree,
  plainJson,
  writeJson,
} from "../../../core/base/json/json-tree.ts";
import { parseJson } from "../../../core/base/json/json-parse.ts";
import { readFields, type Fields } from "../../../core/base/lenient.ts";
import { encodeUtf8 } from "../../../core/base/wire/text.ts";

const SYSTEM_END = "#SYSTEM_MSG_END#";
const MSG_SEP = "#MSG_SEP#";

/**
 * Converts an entry of MetaGPT's cache into a recording that can be shown. The conversation is read from the key, which
 * has no roles; the reply is the stored answer in the shape of a chat completion.
 */
export function convertCacheEntryToRecording(
  [text, answer]: readonly [string, JsonTree],
  { key, recordedAt }: { readonly key: Key; readonly recordedAt: string },
): Recording {
  const content = typeof answer === "string" ? answer : writeJson(answer);
  const completion = {
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  };
  // The cache does not name the model, and a request needs one.
  const request = { model: "MetaGPT", messages: messagesOf(text) };
  return {
    provider: "openai",
    operation: "chat.completions",
    key,
    request: { method: "POST", path: "/v1/chat/completions", body: encodeUtf8(JSON.stringify(request)) },
    reply: { status: 200, contentType: "application/json", body: encodeUtf8(JSON.stringify(completion)) },
    recordedAt,
  };
}

/** Returns the text of the last message of the prompt. */
export function readLastAsked(key: string): string {
  const last = messagesOf(key).at(-1);
  const content: unknown =
    typeof last === "object" && last !== null && "content" in last ? last.content : undefined;
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function messagesOf(key: string): readonly unknown[] {
  const listed = codeMessages(key);
  if (listed !== undefined) return listed;
  const end = key.indexOf(SYSTEM_END);
  const systems = end < 0 ? [] : key.slice(0, end).split(MSG_SEP);
  const userTexts = (end < 0 ? key : key.slice(end + SYSTEM_END.length)).split(MSG_SEP);
  return [
    ...systems.map((content) => ({ role: "system", content })),
    ...userTexts.map((content) => ({ role: "user", content })),
  ];
}

/** Returns the key of a conversation. The key of a code call is the JSON of its messages. */
export function computeCacheKey(messages: readonly unknown[]): string {
  const all = messages.map(readFields);
  const textOf = ({ content }: Fields): string => (typeof content === "string" ? content : "");
  const systems = all.filter(({ role }) => role === "system").map(textOf);
  const userTexts = all.filter(({ role }) => role !== "system").map(textOf);
  return (systems.length === 0 ? "" : systems.join(MSG_SEP) + SYSTEM_END) + userTexts.join(MSG_SEP);
}

/** Returns the messages of a code call's key, which is their JSON. */
function codeMessages(key: string): readonly unknown[] | undefined {
  if (!key.startsWith('[{"')) return undefined;
  try {
    const tree = parseJson(key);
    const isMessage = (one: JsonTree): boolean => getMember(one, "role") !== undefined;
    return isJsonArray(tree) && tree.every(isMessage) ? tree.map(plainJson) : undefined;
  } catch {
    return undefined;
  }
}
