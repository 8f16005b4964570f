import { badRequest } from "../../errors.ts";
import { isJsonArray, isJsonObject, member, type JsonObject, type JsonTree } from "../../json/json-tree.ts";
import { plainJson } from "../../json/json-write.ts";
import type { Part, ProtocolRequest, RequestFacts } from "../protocol.ts";

/** What an operation insists on; everything else in a request is taken as it is. */
export interface ChatNeeds {
  /** For people: "A chat completion". */
  readonly operation: string;
  readonly model: boolean;
}

/**
 * The body of a chat request.
 * @throws TapedeckError `tapedeck_bad_request` where it is no object, has no list of messages or lacks a needed model.
 */
export function chatBody(request: ProtocolRequest, needs: ChatNeeds): JsonObject {
  const wanted = needs.model ? 'a text under "model" and a list under "messages"' : 'a list under "messages"';
  const hint = `${needs.operation} takes a JSON object with ${wanted}.`;
  const { body } = request;
  if (body.kind === "empty") throw badRequest("the body is empty.", hint);
  if (body.kind === "bytes") throw badRequest("the body is not JSON.", hint);
  if (!isJsonObject(body.tree)) throw badRequest("the body is JSON, but not an object.", hint);

  const model = member(body.tree, "model");
  if (model === undefined && needs.model) throw badRequest('the member "model" is missing.', hint);
  if (model !== undefined && model !== null && typeof model !== "string")
    throw badRequest('the member "model" is not a text.', hint);
  if (model === null && needs.model) throw badRequest('the member "model" is null.', hint);
  const messages = member(body.tree, "messages");
  if (messages === undefined) throw badRequest('the member "messages" is missing.', hint);
  if (!isJsonArray(messages)) throw badRequest('the member "messages" is not a list.', hint);
  return body.tree;
}

/**
 * The body of a request that has to be a JSON object with certain members.
 * @throws TapedeckError `tapedeck_bad_request` where it is none, or lacks one of `needs`.
 */
export function objectBody(
  request: ProtocolRequest,
  { operation, needs }: { readonly operation: string; readonly needs: readonly string[] },
): JsonObject {
  const members = needs.map((name) => `"${name}"`).join(" and ");
  const hint = `${operation} takes a JSON object${members === "" ? "" : ` with ${members}`}.`;
  const { body } = request;
  if (body.kind === "empty") throw badRequest("the body is empty.", hint);
  if (body.kind === "bytes") throw badRequest("the body is not JSON.", hint);
  if (!isJsonObject(body.tree)) throw badRequest("the body is JSON, but not an object.", hint);
  const { tree } = body;
  const missing = needs.find((name) => member(tree, name) === undefined);
  if (missing !== undefined) throw badRequest(`the member "${missing}" is missing.`, hint);
  const model = member(tree, "model");
  if (model !== undefined && typeof model !== "string" && (model !== null || needs.includes("model")))
    throw badRequest(`the member "model" is ${model === null ? "null" : "not a text"}.`, hint);
  return tree;
}

/** Model and streaming as nearly every request names them, with a label. */
export function factsWith(body: JsonObject, label: string): RequestFacts {
  const model = member(body, "model");
  return {
    ...(typeof model === "string" && model !== "" && { model }),
    streaming: member(body, "stream") === true,
    label,
  };
}

/** The query of a request as settings, in its order. */
export function querySettings(path: string): (readonly [string, string])[] {
  const query = path.indexOf("?");
  return query < 0 ? [] : [...new URLSearchParams(path.slice(query + 1))];
}

/** The facts of a chat request. `textsOf` gives the texts that a message's user wrote. */
export function chatFacts(body: JsonObject, textsOf: (message: unknown) => readonly string[]): RequestFacts {
  const model = member(body, "model");
  const messages = member(body, "messages");
  const list = messages !== undefined && isJsonArray(messages) ? messages : [];
  const count = list.length === 1 ? "1 message" : `${list.length} messages`;
  return {
    ...(typeof model === "string" && model !== "" && { model }),
    streaming: member(body, "stream") === true,
    label: lastLabel(list, textsOf) ?? `chat with ${count}`,
  };
}

/** From the end, so that a long conversation is not read to its beginning. */
function lastLabel(
  messages: readonly JsonTree[],
  textsOf: (message: unknown) => readonly string[],
): string | undefined {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    const text =
      member(message, "role") === "user"
        ? textsOf(plainJson(message ?? null)).findLast(isNotBlank)
        : undefined;
    if (text !== undefined) return shortLabel(text);
  }
  return undefined;
}

const isNotBlank = (text: string): boolean => text.trim() !== "";
const LABEL_LENGTH = 80;

/** "1 text", "3 texts". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first line of a text that is not blank, at most 80 characters long. */
export function shortLabel(text: string): string {
  const [line = ""] = text.trim().split(/\r\n|\n|\r/, 1);
  const characters = Array.from(line.trimEnd());
  if (characters.length <= LABEL_LENGTH) return characters.join("");
  const beginning = characters.slice(0, LABEL_LENGTH - 1).join("");
  return `${beginning.trimEnd()}…`;
}

/** The texts among parts. */
export function textsAmong(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** A member of a request as a plain value; undefined where there is none. For reading only: large numbers lose digits. */
export function valueAt(body: JsonObject, name: string): unknown {
  const value = member(body, name);
  return value === undefined ? undefined : plainJson(value);
}
