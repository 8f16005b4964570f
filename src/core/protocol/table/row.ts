import { localize } from "../../base/localize.ts";
import {
  listErrors,
  isFields,
  readFields,
  tryParsePlainJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { encodeUtf8, decodeText } from "../../base/wire/text.ts";
import { getMember } from "../../base/json/json-tree.ts";
import { localizeCount } from "../../base/plural.ts";
import { composeJson } from "../base/composed.ts";
import { httpProtocol } from "../base/http.ts";
import type { ConversationMessage, Projection, Protocol, ReplyDraft } from "../base/protocol.ts";
import { createReplyMessage } from "../base/parts.ts";
import { createProjector } from "../base/reply.ts";
import { listSettings } from "../base/settings.ts";
import { labelPath, readQuerySettings } from "../base/operation.ts";
import { readReportedUsage, type UsageWire } from "../base/usage.ts";
import { createTypedStream, type TypedEnds } from "../base/stream-rules.ts";
import {
  isFormLike,
  fillLabel,
  readSent,
  listSentMessages,
  listSentSettings,
  getFieldText,
  getValuesAt,
  type Sends,
  type RequestContent,
  type Takes,
} from "./sent.ts";

/** An operation that is described by data, because its reply is not a conversation. */
export interface OperationRow {
  /** E.g. "files.retrieve". Part of the key. */
  readonly operation: string;
  /**
   * Method and path, such as "GET /files/:id/content". The path must be at the start, after a version, or
   * after `/openai`, because `/v1/vector_stores/x/files` is a different resource from `/v1/files`. A path
   * that starts with "*" can follow any prefix. ":id" is the name of the resource, ":id+" a name that may
   * contain slashes, "/models/:model:" a Gemini model, and ":of" the name of the parent resource. The rest is
   * a regular expression.
   */
  readonly call: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`;
  /** One or more templates for `fillLabel`. Where none can be filled, method and path are the label. */
  readonly label?: string | readonly string[];
  /** Absent if the request may have any body, or none. */
  readonly takes?: Takes;
  /** Pointers to the prompt: it is the label, and, without `sends`, the user's message. */
  readonly prompt?: readonly string[];
  /** The parts of the request that are shown as messages. All others are settings. */
  readonly sends?: readonly Sends[];
  /** Where the request names the model. Default: "/model". */
  readonly model?: string;
  /** A member of the request whose own members are settings. Those that `sends` points to are omitted. */
  readonly settingsIn?: string;
  /** How the reply is read. Absent if it is a resource, or a list of resources, with plain members. */
  readonly reply?: RowReply;
  /**
   * Composes the members of a reply that clients need, or lists those to add to the usual ones of a resource or list;
   * "content" if the reply is the resource's content.
   */
  readonly sample?: "content" | Fields | ((sent: RequestContent, draft: ReplyDraft) => object);
  /** How a stream ends, for operations that may stream. */
  readonly stream?: TypedEnds;
  /** Overrides for an operation that the other fields cannot describe. */
  readonly own?: Partial<Protocol>;
}

export interface RowReply {
  /** Names of members. A reply has at least one of them. */
  readonly members: readonly string[];
  readonly says: (fields: Fields) => readonly ConversationMessage[];
  /** How its tokens are counted, and where. */
  readonly usage?: readonly [wire: UsageWire, ...pointers: string[]];
  /** Joins the events of a stream into the reply of a call without streaming. */
  readonly joined?: (events: readonly Fields[]) => Fields;
}

/** Creates a protocol from a row. */
export function createProtocol(row: OperationRow): Protocol {
  const { operation, takes, prompt = [], reply, sample, own } = row;
  const [verb, template = ""] = row.call.split(" ");
  const path = patternOf(template);
  const label = [...prompt.map((pointer) => `{${pointer}}`), ...[row.label ?? []].flat()];
  const sends = listSends(row);
  const isContent = sample === "content";
  return {
    operation,
    accepts: (method, pathname) => method === verb && path.test(pathname),
    facts(request) {
      const sent = readSent(request, path, takes);
      const { stream } = sent.fields;
      return {
        model: template.includes(":model") ? sent.id : getFieldText(sent.fields, row.model ?? "/model"),
        streaming: row.stream !== undefined && (stream === true || stream === "true"),
        label: fillLabel(label, sent) ?? labelPath(request),
      };
    },
    conversation(request) {
      const sent = readSent(request, path, takes);
      const isOther = takes === undefined && request.body.kind !== "empty" && !isFormLike(request.body);
      if (isOther) return httpProtocol.conversation(request);
      const all = sends.length === 0 && sent.files.length > 0 ? ([["sent"]] as const) : sends;
      const query = takes === undefined ? readQuerySettings(request.path) : [];
      return {
        messages: listSentMessages(all, sent),
        settings: [...query, ...listRowSettings(row, sent)],
      };
    },
    project: reply ? projectionOf(reply) : isContent ? (one) => httpProtocol.project(one) : projectThing,
    stream: row.stream && createTypedStream(row.stream),
    compose(draft, request) {
      if (isContent) return { contentType: "application/octet-stream", body: encodeUtf8(draft.text) };
      return isFields(tryParsePlainJson(draft.text))
        ? { contentType: "application/json", body: encodeUtf8(draft.text) }
        : composeJson(composeSample(row, readSent(request, path, takes), draft));
    },
    isWhole(body) {
      const isAccepted = verb !== "GET" && reply === undefined && body.byteLength === 0;
      return isContent || isAccepted || isWholeReply(tryParsePlainJson(decodeText(body)), reply);
    },
    ...own,
  };
}

const listSends = ({ sends, prompt }: OperationRow): readonly Sends[] =>
  sends ?? (prompt ? [["user", ...prompt]] : []);

/** Composes a reply of an operation. */
export function composeSample(row: OperationRow, sent: RequestContent, draft: ReplyDraft): object {
  if (typeof row.sample === "function") return row.sample(sent, draft);
  const usual = row.call.startsWith("DELETE")
    ? { id: sent.id, object: "deleted", type: "deleted", deleted: true }
    : /^GET .*(?<!:id\+?)$/.test(row.call)
      ? EMPTY_LIST
      : composeResource(row.operation.split(".").at(-2), sent);
  return Object.assign({}, usual, row.sample);
}

/** The reply with no resources, as all providers' clients read it. */
export const EMPTY_LIST: Fields = {
  object: "list",
  data: [],
  has_more: false,
  first_id: null,
  last_id: null,
  next_page: null,
};

/** Composes a resource that is ready. */
const composeResource = (kind = "resource", { id }: RequestContent): object => ({
  id: id || `${kind}_tapedeck`,
  object: kind,
  created_at: 0,
  status: "completed",
});

/** Lists the members of a request that are not shown otherwise. */
function listRowSettings(row: OperationRow, sent: RequestContent): (readonly [string, string])[] {
  const { takes, model, settingsIn } = row;
  const steps = listSends(row).flatMap(([, ...pointers]) => pointers.map((pointer) => pointer.split("/")));
  const shown = [...(takes ? ["model", "stream"] : []), ...steps.map(([, name = ""]) => name)];
  if (model !== undefined) shown.push(model.slice(1));
  const others = listSentSettings(sent, settingsIn === undefined ? shown : [...shown, settingsIn]);
  if (settingsIn === undefined) return others;
  const inner = steps.map(([, , name = ""]) => name);
  return [...listSettings(getMember(sent.tree, settingsIn), inner), ...others];
}

const PLACES: Readonly<Record<string, string>> = {
  // A path can name a tuned model or a Vertex endpoint instead of a model.
  "/models/:model:": "/(?:models|tunedModels|dynamic|endpoints)/([^/?]+):",
  ":id+": "(.+)",
  ":id": "([^/]+)",
  ":of": "[^/]+",
};

function patternOf(template: string): RegExp {
  const tail = template
    .replace("*", "")
    .replace(/\/models\/:model:|:id\+?|:of/g, (place) => PLACES[place] ?? place);
  return new RegExp(template.startsWith("*") ? `${tail}$` : `(?:^|/v\\d\\w*|/openai)${tail}$`);
}

/** Returns the failure in a reply in any provider's format: in `error`, or without an envelope. */
function failureIn(fields: Fields, members: readonly string[] = []): unknown {
  if (members.some((name) => fields[name] !== undefined)) return undefined;
  const { error, code, object, message } = fields;
  if (isJob(fields)) return undefined;
  if (typeof error === "string" && typeof code === "string") return { message: error, code };
  const type = fields["__type"];
  if (typeof type === "string") return { type, message: message ?? fields["Message"] };
  const isBare = object === "error" || (members.length > 0 && typeof message === "string");
  return error || (isBare ? fields : undefined);
}

/** Whether a reply is a job, whose error is a part of it: a failed video, or an operation of Google's. */
const isJob = ({ id, name, status, state, done }: Fields): boolean =>
  typeof (id ?? name) === "string" && [status, state, done].some((one) => one !== undefined);

/** Whether a reply is complete. A list can have no envelope (Together's models). */
function isWholeReply(value: unknown, reply: RowReply | undefined): boolean {
  if (Array.isArray(value)) return reply === undefined;
  return isFields(value) && value["type"] !== "error" && !failureIn(value, reply?.members);
}

function projectionOf({ members, says, usage, joined }: RowReply): Protocol["project"] {
  const read = (fields: Fields): Projection => ({
    messages: says(fields),
    usage: usage && countsIn(fields, usage),
    model: readText(fields["model"]),
  });
  return createProjector({
    failure: (fields) => failureIn(fields, members),
    whole: (fields) => (members.some((name) => fields[name] !== undefined) ? read(fields) : undefined),
    ...(joined && {
      stream(events) {
        const all = events.map(({ data }) => readFields(tryParsePlainJson(data)));
        return { read: read(joined(all)), errors: listErrors(all) };
      },
    }),
  });
}

function countsIn(fields: Fields, [wire, ...pointers]: NonNullable<RowReply["usage"]>): Projection["usage"] {
  const places = pointers.flatMap((pointer) => (pointer === "" ? [fields] : getValuesAt(fields, pointer)));
  return readReportedUsage(Object.assign({}, ...places.map(readFields)), wire);
}

/** Shows a resource in one line, or a list with one line each. */
export const projectThing = createProjector({
  failure: (fields) => failureIn(fields),
  whole(fields, _reply, value) {
    const list = Array.isArray(value) ? value : fields["data"];
    const text = Array.isArray(list) ? listText(readList(list), fields) : formatFacts(fields);
    return { messages: [createReplyMessage(text)] };
  },
});

const LISTED = 100;

function listText(list: readonly unknown[], fields: Fields): string {
  const more = fields["has_more"] === true ? localize(", more follow") : "";
  const lines = list.slice(0, LISTED).map((one) => formatFacts(readFields(one)));
  const left = list.length > LISTED ? [localize("and {0} more", list.length - LISTED)] : [];
  return [localizeCount(list.length, "{0} entry{1}", "{0} entries{1}", more), ...lines, ...left].join("\n");
}

/** Reads a reply whose list is the given member. */
export const createListReply = (member: string): RowReply => ({
  members: [member],
  says: (fields) => [createReplyMessage(listText(readList(fields[member]), fields))],
});

/** Lists the resource's name, then every member with a plain value that is not empty. */
export function formatFacts(fields: Fields): string {
  const { id, object: _object, type: _type, ...others } = fields;
  const facts = Object.entries(others).flatMap(([name, value]) => {
    if (isFields(value)) return name === "error" ? errorText(value) : countsText(name, value);
    const plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return plain && value !== "" ? [`${name} ${String(value)}`] : [];
  });
  const name = readText(id);
  return [...(name === undefined ? [] : [name]), ...facts].join(" · ") || localize("nothing");
}

const errorText = ({ message, code }: Fields): string[] => {
  const text = readText(message) ?? readText(code);
  return text === undefined ? [] : [`error: ${text}`];
};

/** Formats counts: "request_counts: total 3, completed 3". */
function countsText(name: string, value: Fields): string[] {
  const counts = Object.entries(value).filter(([, count]) => typeof count === "number");
  return counts.length === 0
    ? []
    : [`${name}: ${counts.map(([key, count]) => `${key} ${String(count)}`).join(", ")}`];
}
