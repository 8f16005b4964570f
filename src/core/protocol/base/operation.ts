import type {
  Composed,
  Conversation,
  ConversationMessage,
  Protocol,
  ProtocolRequest,
  Reply,
  ReplyDraft,
  RequestFacts,
  StreamRules,
  Thread,
} from "./protocol.ts";
import type { JsonObject } from "../../base/json/json-tree.ts";
import { plural } from "../../base/plural.ts";
import { composedJson } from "./composed.ts";
import { countIn } from "../../base/lenient.ts";
import { projectFamily, type ViewedFamily } from "./events.ts";
import { replyMessage } from "./parts.ts";
import { isWholeJson, replyReader, type ReplyReading } from "./reply.ts";
import { chatLabel, factsWith, itemsAt, listAt } from "./request.ts";
import { wholeness } from "./whole.ts";

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
  readonly compose: (draft: ReplyDraft, body: Body, request: ProtocolRequest) => Composed;
  readonly composesToolCalls?: true | undefined;
  /** Default: by the family. */
  readonly isWhole?: Protocol["isWhole"] | undefined;
  readonly unfinished?: Protocol["unfinished"];
}

export function operationFrom<Body>(parts: Operation<Body>): Protocol {
  const { operation, path, thread, stream, composesToolCalls, family } = parts;
  const judged = wholeness(family);
  const { isWhole = judged.isWhole, unfinished = judged.unfinished } = parts;
  const { project = projectFamily(family) } = parts;
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
    thread: thread && ((request, reply) => thread(parts.body(request), reply, request)),
    stream,
    compose: (draft, request) => parts.compose(draft, parts.body(request), request),
    composesToolCalls,
    isWhole,
    unfinished,
  };
}

/** Makes the readers for a request with a list of messages from the reader of one message. */
export function chatReading(messageFrom: (message: unknown, defaultRole: string) => ConversationMessage) {
  const read = (message: unknown): ConversationMessage => messageFrom(message, "message");
  return {
    facts: (body: JsonObject): RequestFacts => factsWith(body, chatLabel(itemsAt(body, "messages"), read)),
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
export function tokenCount<Body>(of: Operation<Body>, count: TokenCount<Body>): Protocol {
  const { operation, path, member, body = of.body, failure } = count;
  return operationFrom({
    ...of,
    operation,
    path,
    body,
    facts(asked, request) {
      const facts = of.facts(asked, request);
      return { ...facts, label: `tokens of ${facts.label}` };
    },
    project: replyReader({
      ...(failure && { failure }),
      whole(fields) {
        const tokens = countIn(fields[member]);
        return tokens === undefined ? undefined : { messages: [replyMessage(plural(tokens, "token"))] };
      },
    }),
    stream: undefined,
    thread: undefined,
    compose: () => composedJson({ [member]: 0 }),
    composesToolCalls: undefined,
    isWhole: isWholeJson,
    unfinished: undefined,
  });
}
