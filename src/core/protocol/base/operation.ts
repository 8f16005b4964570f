import { localize, joinList } from "../../base/localize.ts";
import type {
  ComposedReply,
  Conversation,
  ConversationMessage,
  Protocol,
  ProtocolRequest,
  Reply,
  ReplyDraft,
  RequestFacts,
  StreamRules,
  Thread,
  ConversationPart,
} from "./protocol.ts";
import {
  type JsonObject,
  isJsonArray,
  isJsonObject,
  getMember,
  type JsonTree,
  plainJson,
} from "../../base/json/json-tree.ts";
import { localizeCount } from "../../base/plural.ts";
import { composeJson } from "./composed.ts";
import { cutText } from "../../base/visible.ts";
import { readCount } from "../../base/lenient.ts";
import { createCountsReader } from "./counts.ts";
import { projectFamily, type ViewedFamily, createWholeness } from "./events.ts";
import { createReplyMessage } from "./parts.ts";
import { isWholeJson, createProjector, type ReplyReading } from "./reply.ts";
import { createBadRequest } from "../../base/errors.ts";
import { decodePercent } from "../../base/wire/text.ts";

/** An operation with POST requests. Its functions receive the body that `body` reads. */
export interface Operation<Body> {
  /** E.g. "chat.completions". Part of the key. */
  readonly operation: string;
  /** A pattern, or the end of its paths, because compatible providers use different prefixes. */
  readonly path: string | RegExp;
  /** Reads the body. @throws TapedeckError `tapedeck_bad_request` if it is invalid for the operation */
  readonly body: (request: ProtocolRequest) => Body;
  readonly facts: (body: Body, request: ProtocolRequest) => RequestFacts;
  readonly messages: (body: Body, request: ProtocolRequest) => Conversation["messages"];
  /** Returns the other members of the request. */
  readonly settings: (body: Body) => Conversation["settings"];
  /** Reads its replies and checks whether they are complete. */
  readonly family: ViewedFamily;
  /** Default: by the family. */
  readonly project?: Protocol["project"];
  /** Present if the provider stores the conversation. */
  readonly thread?: ((body: Body, reply: Reply, request: ProtocolRequest) => Thread) | undefined;
  /** Absent if the operation never streams, even if a request asks for a stream. */
  readonly stream?: StreamRules | undefined;
  readonly compose: (draft: ReplyDraft, body: Body, request: ProtocolRequest) => ComposedReply;
  readonly composesToolCalls?: true | undefined;
  /** Default: by the family. */
  readonly isWhole?: Protocol["isWhole"] | undefined;
  readonly unfinished?: Protocol["unfinished"];
}

export function createOperation<Body>(parts: Operation<Body>): Protocol {
  const { operation, path, thread, stream, composesToolCalls, family } = parts;
  const judged = createWholeness(family);
  const { isWhole = judged.isWhole, unfinished = judged.unfinished } = parts;
  const { project = projectFamily(family) } = parts;
  const counts = parts.project ? undefined : createCountsReader(family);
  return {
    operation,
    accepts: (method, pathname) =>
      method === "POST" && (typeof path === "string" ? pathname.endsWith(path) : path.test(pathname)),
    facts: (request) => {
      const facts = parts.facts(parts.body(request), request);
      return { ...facts, streaming: facts.streaming && stream !== undefined };
    },
    conversation: (request) => {
      const body = parts.body(request);
      return { messages: parts.messages(body, request), settings: parts.settings(body) };
    },
    project,
    counts,
    thread: thread && ((request, reply) => thread(parts.body(request), reply, request)),
    stream,
    compose: (draft, request) => parts.compose(draft, parts.body(request), request),
    composesToolCalls,
    isWhole,
    unfinished,
  };
}

/** Makes the readers for a request with a list of messages from the reader of one message. */
export function createChatReaders(
  messageFrom: (message: unknown, defaultRole: string) => ConversationMessage,
) {
  const read = (message: unknown): ConversationMessage => messageFrom(message, "message");
  return {
    facts(body: JsonObject): RequestFacts {
      const messages = getItems(body, "messages");
      const text = findLastUserText(messages, read);
      return { ...createFacts(body, labelText(text, messages)), text };
    },
    messages: (body: JsonObject): ConversationMessage[] => listAt(body, "messages").map(read),
  };
}

/** The differences between operations that count tokens. */
interface TokenCount<Body> {
  readonly operation: string;
  readonly path: string | RegExp;
  /** The member of the reply with the count: "input_tokens". */
  readonly member: string;
  /** Reads a request's body, if the request to count is nested in it. */
  readonly body?: Operation<Body>["body"];
  readonly failure?: ReplyReading["failure"];
}

/** Creates the operation that counts the tokens of another operation's request: `{"input_tokens": 21}`. */
export function createTokenCount<Body>(of: Operation<Body>, count: TokenCount<Body>): Protocol {
  const { operation, path, member: counted, body = of.body, failure } = count;
  return createOperation({
    ...of,
    operation,
    path,
    body,
    facts(fields, request) {
      const facts = of.facts(fields, request);
      return { ...facts, label: localize("tokens of {0}", facts.label) };
    },
    project: createProjector({
      ...(failure && { failure }),
      whole(fields) {
        const tokens = readCount(fields[counted]);
        return tokens === undefined
          ? undefined
          : { messages: [createReplyMessage(localizeCount(tokens, "1 token", "{0} tokens"))] };
      },
    }),
    stream: undefined,
    thread: undefined,
    compose: () => composeJson({ [counted]: 0 }),
    composesToolCalls: undefined,
    isWhole: isWholeJson,
    unfinished: undefined,
  });
}

/**
 * Makes a reader of requests that are a JSON object with certain members. `operation` is for people: "A moderation".
 * "messages" must be a list, and "model" a string.
 * @throws TapedeckError `tapedeck_bad_request` if the body is not such an object, or lacks one of `needs`
 */
export function createObjectReader(
  operation: string,
  ...needs: readonly string[]
): (request: ProtocolRequest) => JsonObject {
  const isChat = needs.includes("messages");
  return ({ body }) => {
    if (body.kind === "empty")
      throw createBadRequest(localize("the body is empty."), hintText(operation, needs));
    if (body.kind === "bytes")
      throw createBadRequest(localize("the body is not JSON."), hintText(operation, needs));
    const { tree } = body;
    if (!isJsonObject(tree))
      throw createBadRequest(localize("the body is JSON, but not an object."), hintText(operation, needs));
    const model = getMember(tree, "model");
    if (model !== undefined && typeof model !== "string" && (model !== null || needs.includes("model")))
      throw createBadRequest(localize('the member "model" is not a string.'), hintText(operation, needs));
    const missing = needs.find((name) => getMember(tree, name) === undefined);
    if (missing !== undefined)
      throw createBadRequest(localize('the member "{0}" is missing.', missing), hintText(operation, needs));
    if (isChat && !Array.isArray(getMember(tree, "messages")))
      throw createBadRequest(localize('the member "messages" is not a list.'), hintText(operation, needs));
    return tree;
  };
}

function hintText(operation: string, needs: readonly string[]): string {
  if (needs.length === 0) return localize("{0} needs a JSON object.", localize(operation));
  return localize(
    "{0} needs a JSON object with {1}.",
    localize(operation),
    joinList(needs.map((name) => `"${name}"`)),
  );
}

/** Makes a reader that requires a model, except in Azure's paths: `/openai/deployments/NAME/chat/completions`. */
export function createModelObjectReader(
  operation: string,
  ...needs: readonly string[]
): (request: ProtocolRequest) => JsonObject {
  const withModel = createObjectReader(operation, "model", ...needs);
  const withoutModel = createObjectReader(operation, ...needs);
  return (request) => (request.path.includes("/deployments/") ? withoutModel : withModel)(request);
}

/** Reads model and streaming from their usual members. */
export function createFacts(body: JsonObject, label: string): RequestFacts {
  return { model: getText(body, "model"), streaming: getMember(body, "stream") === true, label };
}

/** Labels a request by its method and path. */
export const labelPath = ({ method, path }: ProtocolRequest): string => `${method} ${path.split("?", 1)[0]}`;

/** Returns the decoded first group of a pattern in a request's path; "" if it does not match. */
export function readNameFromPath({ path }: ProtocolRequest, pattern: RegExp): string {
  return decodePercent(pattern.exec(path.split("?", 1)[0] ?? "")?.[1] ?? "");
}

/** An operation on something that the provider stores. Its path names it by the ID that the functions receive. */
interface StoredOperation extends Pick<
  Protocol,
  "operation" | "project" | "stream" | "isWhole" | "unfinished"
> {
  readonly method: "GET" | "POST";
  /** Its first group is the ID. */
  readonly path: RegExp;
  readonly thread?: (id: string, reply: Reply) => Thread;
  readonly compose: (draft: ReplyDraft, id: string, isStreamed: boolean) => ComposedReply;
}

export function createStoredOperation(parts: StoredOperation): Protocol {
  const { method, path, thread, compose, ...same } = parts;
  const idIn = (request: ProtocolRequest): string => readNameFromPath(request, path);
  return {
    ...same,
    accepts: (called, pathname) => called === method && path.test(pathname),
    facts: (request) => ({
      streaming: same.stream !== undefined && isStreamRequested(request),
      label: labelPath(request),
    }),
    conversation: (request) => ({ messages: [], settings: readQuerySettings(request.path) }),
    thread: thread && ((request, reply) => thread(idIn(request), reply)),
    compose: (draft, request) => compose(draft, idIn(request), isStreamRequested(request)),
  };
}

/** Reads the query of a path as settings, in order. */
export function readQuerySettings(path: string): (readonly [string, string])[] {
  const query = path.indexOf("?");
  return query < 0 ? [] : [...new URLSearchParams(path.slice(query + 1))];
}

/** Whether a request without a body asks for a stream in its query. */
const isStreamRequested = ({ path }: ProtocolRequest): boolean =>
  readQuerySettings(path).some(([name, value]) => name === "stream" && value === "true");

/**
 * Labels a conversation by the last text of a user. Reads messages from the end, because conversations can be long.
 */
export function labelChat(
  messages: readonly JsonTree[],
  read: (message: unknown) => ConversationMessage,
): string {
  return labelText(findLastUserText(messages, read), messages);
}

function labelText(text: string | undefined, { length }: readonly JsonTree[]): string {
  return text === undefined
    ? localizeCount(length, "chat with {0} message", "chat with {0} messages")
    : shortenLabel(text);
}

function findLastUserText(
  messages: readonly JsonTree[],
  read: (message: unknown) => ConversationMessage,
): string | undefined {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const text = userText(messages[at] ?? null, read);
    if (text !== undefined) return text;
  }
  return undefined;
}

function userText(message: JsonTree, read: (message: unknown) => ConversationMessage): string | undefined {
  const written = getMember(message, "role");
  if (typeof written === "string" && written !== "user") return undefined;
  const content = getMember(message, "content");
  // Most user messages are a single text.
  if (written === "user" && isFilled(content) && isJsonObject(message) && message.members.length === 2)
    return content;
  const { role, parts } = read(plainJson(message));
  return role === "user" ? listTexts(parts).findLast(isFilled) : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

const LABEL_LENGTH = 80;
/** Maximum UTF-16 code units in which a label is searched. */
const SEARCHED_UNITS = 4_096;

/** Returns the first line that is not blank, at most 80 characters long. */
export function shortenLabel(text: string): string {
  // A line can be megabytes long.
  const beginning = text.trimStart().slice(0, SEARCHED_UNITS);
  const end = beginning.search(/[\r\n]/);
  const line = end < 0 ? beginning : beginning.slice(0, end);
  return cutText(line.trimEnd(), LABEL_LENGTH);
}

export function listTexts(parts: readonly ConversationPart[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Returns a member as a plain value, for display only, because large numbers lose digits. */
export function getValue(body: JsonObject, name: string): unknown {
  const value = getMember(body, name);
  return value === undefined ? undefined : plainJson(value);
}

/** Returns a member that is a non-empty string. */
export function getText(body: JsonTree | undefined, name: string): string | undefined {
  const value = getMember(body, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the items of a list member as plain values; none for any other member. */
export function listAt(body: JsonObject, name: string): readonly unknown[] {
  return getItems(body, name).map(plainJson);
}

/** Returns the items of a list member; none for any other member. */
export function getItems(body: JsonTree | undefined, name: string): readonly JsonTree[] {
  const value = getMember(body, name);
  return value !== undefined && isJsonArray(value) ? value : [];
}
