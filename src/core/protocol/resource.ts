import { isJsonObject, type JsonTree } from "../json/json-tree.ts";
import { bytesOf, textOf } from "../wire/text.ts";
import { fileParts, formOf, formSettings } from "./reading/form.ts";
import { httpProtocol } from "./http/protocol.ts";
import { fieldsOf, isFields, jsonIn, listOf, textIn, type Fields } from "./reading/lenient.ts";
import type { Conversation, Projection, Protocol, ProtocolRequest, RequestFacts } from "./protocol.ts";
import { failureMessage, readReply, type Reply } from "./reading/reply.ts";
import { counted, querySettings } from "./reading/request.ts";
import { settingsOf } from "./reading/settings.ts";
import { percentDecoded } from "../wire/percent.ts";

/** An operation on something that a provider keeps: it is made, listed, looked at, changed or deleted. */
export interface ResourceOperation {
  readonly operation: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** Matches the end of a path; its first group is the name of the thing. */
  readonly path: RegExp;
  /** For people; `name` is "" where the path has none. */
  label(name: string, request: ProtocolRequest): string;
  /** What the provider would give, as far as clients need it. */
  sample(name: string): object;
  /** A reading of its own where the members of the reply do not speak for themselves. */
  readonly project?: Protocol["project"];
  readonly conversation?: Protocol["conversation"];
  /** The reply is the thing itself, whatever it is, and not a description of it. */
  readonly isContent?: true;
}

/**
 * Matches `tail` (a regular expression) behind a version or at the beginning of a path: `/v1/vector_stores/x/files`
 * is another thing than `/v1/files`.
 */
export function topLevel(tail: string): RegExp {
  return new RegExp(`(?:^|/v\\d\\w*|/openai)${tail}$`);
}

/** A protocol from a row of such a table. */
export function resourceProtocol(resource: ResourceOperation): Protocol {
  const nameIn = (path: string): string =>
    percentDecoded(resource.path.exec(path.split("?", 1)[0] ?? "")?.[1] ?? "");
  return {
    operation: resource.operation,
    accepts: (method, pathname) => method === resource.method && resource.path.test(pathname),
    facts: (request) => ({
      ...modelOf(request),
      streaming: false,
      label: resource.label(nameIn(request.path), request),
    }),
    conversation: resource.conversation ?? conversationOf,
    project: resource.project ?? (resource.isContent === true ? projectContent : projectResource),
    compose: (draft, { path }) => {
      const own = resource.isContent === true ? draft.text : undefined;
      const written = isFields(jsonIn(draft.text)) ? draft.text : undefined;
      const text = own ?? written ?? JSON.stringify(resource.sample(nameIn(path)));
      const contentType = resource.isContent === true ? "application/octet-stream" : "application/json";
      return { contentType, body: bytesOf(text) };
    },
    isWhole: resource.isContent === true ? () => true : isWholeResource,
  };
}

function modelOf({ body }: ProtocolRequest): Pick<RequestFacts, "model"> {
  const model = body.kind === "json" ? textMember(body.tree, "model") : undefined;
  return model === undefined ? {} : { model };
}

function textMember(tree: JsonTree, name: string): string | undefined {
  const value = isJsonObject(tree) ? tree.members.find(([key]) => key === name)?.[1] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What is sent along: members, the fields and files of a form, or nothing but a query. */
function conversationOf(request: ProtocolRequest): Conversation {
  const { body, path } = request;
  const query = querySettings(path);
  if (body.kind === "empty") return { messages: [], settings: query };
  if (body.kind === "json") {
    if (!isJsonObject(body.tree)) return httpProtocol.conversation(request);
    return { messages: [], settings: [...query, ...settingsOf(body.tree, [])] };
  }
  if (!/^\s*multipart\//i.test(body.contentType ?? "")) return httpProtocol.conversation(request);
  const form = formOf(request, { operation: "This call", needs: [] });
  return {
    messages: [{ role: "sent", parts: fileParts(form) }],
    settings: [...query, ...formSettings(form, [])],
  };
}

/** The name and size of what a form brings, in a label. */
export function uploadLabel(request: ProtocolRequest): string {
  if (!/^\s*multipart\//i.test(request.body.kind === "bytes" ? (request.body.contentType ?? "") : ""))
    return "file";
  const { files } = formOf(request, { operation: "An upload", needs: [] });
  return files.map(({ name }) => name).join(", ") || "file";
}

/** A line of facts for a thing, a line each for a list of them. */
export function projectResource(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind !== "json") return httpProtocol.project(reply);
  const fields = fieldsOf(read.value);
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const list = Array.isArray(read.value) ? read.value : fields["data"];
  const text = Array.isArray(list) ? listText(listOf(list), fields) : factsText(fields);
  return { messages: [{ role: "reply", parts: [{ type: "text", text }] }] };
}

function projectContent(reply: Reply): Projection {
  return httpProtocol.project(reply);
}

const LISTED = 100;

function listText(list: readonly unknown[], fields: Fields): string {
  const more = fields["has_more"] === true ? ", more follow" : "";
  const lines = list.slice(0, LISTED).map((one) => factsText(fieldsOf(one)));
  const left = list.length > LISTED ? [`and ${list.length - LISTED} more`] : [];
  return [`${counted(list.length, "entry", "entries")}${more}`, ...lines, ...left].join("\n");
}

/** Its name first, then every member with a plain value that says something. */
function factsText(fields: Fields): string {
  const { id, object: _object, type: _type, ...others } = fields;
  const facts = Object.entries(others).flatMap(([name, value]) => {
    if (isFields(value)) return countsText(name, value);
    const plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return plain && value !== "" ? [`${name} ${String(value)}`] : [];
  });
  const name = textIn(id);
  return [...(name === undefined ? [] : [name]), ...facts].join(" · ") || "nothing";
}

/** "request_counts: total 3, completed 3". */
function countsText(name: string, value: Fields): string[] {
  const counts = Object.entries(value).filter(([, count]) => typeof count === "number");
  return counts.length === 0
    ? []
    : [`${name}: ${counts.map(([key, count]) => `${key} ${String(count)}`).join(", ")}`];
}

/** A thing or a list of things; a list may stand without an envelope (Together's models). */
function isWholeResource(body: Uint8Array): boolean {
  const value = jsonIn(textOf(body));
  if (Array.isArray(value)) return true;
  return isFields(value) && !value["error"] && value["type"] !== "error";
}
