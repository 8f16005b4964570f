import { computeSha256 } from "../../client/sha256.ts";
import { isJsonNumber, isJsonObject, type JsonTree } from "../../core/base/json/json-tree.ts";
import { invalid } from "../../client/errors.ts";
import { writePythonJson } from "../../client/python/write.ts";
import { getDictValue, isDict, pythonTree, typeName } from "../../client/python/value.ts";
import { formatMsg, isMessage } from "./message.ts";

const MSG_SEP = "#MSG_SEP#";
const SYSTEM_END = "#SYSTEM_MSG_END#";

/**
 * The key under which MetaGPT's `rsp_cache.json` holds an `aask`: texts as they are, so that requests whose texts
 * contain the separator share a key with others, as there.
 * @throws ChatError "validation" that names the message
 */
export function aaskKey(msg: unknown, systemMsgs?: unknown): string {
  const text = Array.isArray(msg) ? msg.map(keyText).join(MSG_SEP) : textAt(msg, "msg");
  const systems = listSystemTexts(systemMsgs);
  return systems.length === 0 ? text : systems.join(MSG_SEP) + SYSTEM_END + text;
}

/** One system message may be given as a text; null, absent and an empty list are none. @throws ChatError "validation" */
export function listSystemTexts(systemMsgs: unknown): readonly string[] {
  if (systemMsgs === undefined || systemMsgs === null || systemMsgs === "") return [];
  if (typeof systemMsgs === "string") return [systemMsgs];
  if (Array.isArray(systemMsgs)) return systemMsgs.map((one, index) => textAt(one, `systemMsgs[${index}]`));
  throw invalid("systemMsgs", `must be a text or a list of texts, not ${typeName(systemMsgs)}`);
}

function keyText(one: unknown, index: number): string {
  const where = `msg[${index}]`;
  if (!isMessage(one) && !isDict(one))
    throw invalid(where, `must be a map with content, not ${typeName(one)}`);
  const content = isMessage(one) ? one.content : getDictValue(one, "content");
  if (content === undefined) throw invalid(where, "has no content");
  return textAt(content, `${where}.content`);
}

/** Returns the key of an `aask_batch`: its texts joined, without the system message. @throws ChatError "validation" */
export const aaskBatchKey = (msgs: unknown): string => listBatchTexts(msgs).join(MSG_SEP);

/** Returns the texts of a batch of strings and `Message`s. @throws ChatError "validation" */
export function listBatchTexts(msgs: unknown): readonly string[] {
  if (!Array.isArray(msgs)) throw invalid("msgs", `must be a list, not ${typeName(msgs)}`);
  return msgs.map((one: unknown, index) => {
    const where = `msgs[${index}]`;
    if (isMessage(one)) return one.content;
    if (isDict(one))
      throw invalid(where, "must be a text or a Message; a map is none here", "Use message(…).");
    return textAt(one, where);
  });
}

/** Returns the key of an `aask_code`: Python's JSON of the formatted messages. @throws ChatError "validation" */
export function aaskCodeKey(messages: unknown, options: { readonly seesImages: boolean }): string {
  return writePythonJson(formatMsg(messages, options), "messages");
}

function textAt(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw invalid(where, `must be a text, not ${typeName(value)}`);
}

export type Method = "aask" | "aask_batch" | "aask_code";

/** Everything that affects a model's answer. */
export interface KeyedRequest {
  readonly method: Method;
  readonly provider: string;
  readonly model: string;
  /** Arguments of the method by name. Undefined and null ones are omitted. */
  readonly args: Readonly<Record<string, unknown>>;
}

const PREFIX = "v2:sha256:";

export const isStrongKey = (key: string): boolean => /^v2:sha256:[0-9a-f]{64}$/.test(key);

/**
 * Returns a key that no other request has: SHA-256 over method, provider, model, and every argument, with names
 * sorted at every level and texts unchanged.
 * @throws ChatError "validation" for circular values and values that JSON does not have
 */
export function strongKey(request: KeyedRequest): string {
  const { method, provider, model, args } = request;
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const whole = {
    method,
    provider,
    model,
    args: new Map(given.map(([name, value]) => [name, plain(value)])),
  };
  return PREFIX + computeSha256(canonical(pythonTree(whole, method)));
}

/** Converts `Message` objects to lists that begin with a mark, which separates them from maps of the same content. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isMessage(value) ? ["$message", value.role, value.content, value.images] : value;
}

function canonical(tree: JsonTree): string {
  if (typeof tree !== "object" || tree === null) return JSON.stringify(tree);
  if (isJsonNumber(tree)) return tree.number;
  if (!isJsonObject(tree)) return `[${tree.map(canonical).join(",")}]`;
  const members = tree.members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(",")}}`;
}
