import { invalid } from "../../errors.ts";
import { dictGet, isDict, typeName } from "../../python/value.ts";
import { pythonJson } from "../../python/json.ts";
import { formatMsg, isMessage } from "./message.ts";

const MSG_SEP = "#MSG_SEP#";
const SYSTEM_END = "#SYSTEM_MSG_END#";

/**
 * The key under which MetaGPT's `rsp_cache.json` holds an `aask`: texts as they are, so that requests whose texts
 * contain the separator share a key with others, as there.
 * @throws ChatError "validation" that names the message
 */
export function aaskKey(msg: unknown, systemMsgs?: unknown): string {
  const asked = Array.isArray(msg) ? msg.map(contentOf).join(MSG_SEP) : textAt(msg, "msg");
  const systems = systemTexts(systemMsgs);
  return systems.length === 0 ? asked : systems.join(MSG_SEP) + SYSTEM_END + asked;
}

/** One system message may be given as a text; null, absent and an empty list are none. @throws ChatError "validation" */
export function systemTexts(systemMsgs: unknown): readonly string[] {
  if (systemMsgs === undefined || systemMsgs === null || systemMsgs === "") return [];
  if (typeof systemMsgs === "string") return [systemMsgs];
  if (Array.isArray(systemMsgs)) return systemMsgs.map((one, index) => textAt(one, `systemMsgs[${index}]`));
  throw invalid("systemMsgs", `must be a text or a list of texts, not ${typeName(systemMsgs)}`);
}

function contentOf(one: unknown, index: number): string {
  const where = `msg[${index}]`;
  if (!isMessage(one) && !isDict(one))
    throw invalid(where, `must be a map with content, not ${typeName(one)}`);
  const content = isMessage(one) ? one.content : dictGet(one, "content");
  if (content === undefined) throw invalid(where, "has no content");
  return textAt(content, `${where}.content`);
}

/** The key of an `aask_batch`: its texts joined; never a system message. @throws ChatError "validation" */
export function aaskBatchKey(msgs: unknown): string {
  return batchTexts(msgs).join(MSG_SEP);
}

/** The texts of a batch: strings and `Message`s. @throws ChatError "validation" */
export function batchTexts(msgs: unknown): readonly string[] {
  if (!Array.isArray(msgs)) throw invalid("msgs", `must be a list, not ${typeName(msgs)}`);
  return msgs.map((one: unknown, index) => {
    const where = `msgs[${index}]`;
    if (isMessage(one)) return one.content;
    if (isDict(one))
      throw invalid(where, "must be a text or a Message; a map is none here", "Use message(…).");
    return textAt(one, where);
  });
}

/** The key of an `aask_code`: Python's JSON of the formatted messages. @throws ChatError "validation" */
export function aaskCodeKey(messages: unknown, options: { readonly seesImages: boolean }): string {
  return pythonJson(formatMsg(messages, options), "messages");
}

function textAt(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw invalid(where, `must be a text, not ${typeName(value)}`);
}
