import { isJsonObject } from "../json/json-tree.ts";
import { bytesOf, textOf } from "../wire/text.ts";
import { composedJson } from "./composed.ts";
import { httpProtocol } from "./http.ts";
import type { Conversation, Projection, Protocol, ProtocolRequest, Reply } from "./protocol.ts";
import { fileParts, formSettings, formWith } from "./reading/form.ts";
import { fieldsOf, isFields, jsonIn, listOf, textIn, type Fields } from "./reading/lenient.ts";
import { replyMessage } from "./reading/parts.ts";
import { failureMessage, readReply } from "./reading/reply.ts";
import { plural } from "../plural.ts";
import { nameIn, querySettings, textAt } from "./reading/request.ts";
import { settingsOf } from "./reading/settings.ts";

/**
 * An operation on something that a provider keeps: it is made, listed, looked at, changed or deleted.
 * - `call`: "GET /files/:id/content" behind a version or at the beginning of a path, since `/v1/vector_stores/x/files` is
 *   another thing than `/v1/files`; with "*" before its path behind anything. ":id" is the name of the thing, ":id+" one
 *   that may have slashes in it, ":of" the name of something that it is part of.
 * - `label`: for people; in a text ":id" stands for the name, which is "" where the path has none.
 * - `sample`: what the provider would give, as far as clients need it; "content" where the reply is the thing itself.
 * - `own`: readings of its own, where what is sent or the members of the reply do not speak for themselves.
 */
export type ResourceOperation = readonly [
  operation: string,
  call: `${"GET" | "POST" | "DELETE"} ${string}`,
  label: string | ((request: ProtocolRequest) => string),
  sample: "content" | ((id: string) => object),
  own?: Partial<Pick<Protocol, "project" | "conversation">>,
];

/** A protocol from a row of such a table. */
export function resourceProtocol([operation, call, label, sample, own = {}]: ResourceOperation): Protocol {
  const [verb, template = ""] = call.split(" ");
  const pattern = patternOf(template);
  const isContent = sample === "content";
  return {
    operation,
    accepts: (method, pathname) => method === verb && pattern.test(pathname),
    facts: (request) => ({
      model: request.body.kind === "json" ? textAt(request.body.tree, "model") : undefined,
      streaming: false,
      label:
        typeof label === "string" ? label.replace(":id", () => nameIn(request, pattern)) : label(request),
    }),
    conversation: own.conversation ?? conversationOf,
    project: own.project ?? (isContent ? (reply) => httpProtocol.project(reply) : projectResource),
    compose(draft, request) {
      if (isContent) return { contentType: "application/octet-stream", body: bytesOf(draft.text) };
      const written = jsonIn(draft.text);
      return isFields(written)
        ? { contentType: "application/json", body: bytesOf(draft.text) }
        : composedJson(sample(nameIn(request, pattern)));
    },
    isWhole: isContent ? () => true : isWholeResource,
  };
}

function patternOf(template: string): RegExp {
  const tail = template
    .replace("*", "")
    .replace(":id+", "(.+)")
    .replace(":id", "([^/]+)")
    .replace(":of", "[^/]+");
  return new RegExp(template.startsWith("*") ? `${tail}$` : `(?:^|/v\\d\\w*|/openai)${tail}$`);
}

/** What is sent along: members, the fields and files of a form, or nothing but a query. */
function conversationOf(request: ProtocolRequest): Conversation {
  const { body, path } = request;
  const query = querySettings(path);
  if (body.kind === "empty") return { messages: [], settings: query };
  if (body.kind === "json") {
    if (!isJsonObject(body.tree)) return httpProtocol.conversation(request);
    return { messages: [], settings: [...query, ...settingsOf(body.tree)] };
  }
  if (!/^\s*multipart\//i.test(body.contentType ?? "")) return httpProtocol.conversation(request);
  const form = formWith("This call")(request);
  return {
    messages: [{ role: "sent", parts: fileParts(form) }],
    settings: [...query, ...formSettings(form)],
  };
}

/** The name and size of what a form brings, in a label. */
export function uploadLabel(request: ProtocolRequest): string {
  if (!/^\s*multipart\//i.test(request.body.kind === "bytes" ? (request.body.contentType ?? "") : ""))
    return "file";
  const { files } = formWith("An upload")(request);
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
  return { messages: [replyMessage(text)] };
}

const LISTED = 100;

function listText(list: readonly unknown[], fields: Fields): string {
  const more = fields["has_more"] === true ? ", more follow" : "";
  const lines = list.slice(0, LISTED).map((one) => factsText(fieldsOf(one)));
  const left = list.length > LISTED ? [`and ${list.length - LISTED} more`] : [];
  return [`${plural(list.length, "entry", "entries")}${more}`, ...lines, ...left].join("\n");
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
