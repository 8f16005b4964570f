import { partsOf, type MultipartPart } from "../../match/key/read-body.ts";
import { isJsonNumber, isJsonObject, type JsonTree } from "../../json/json-tree.ts";
import { textOf } from "../../wire/text.ts";
import { badRequest } from "../../errors.ts";
import { mediaBytes, mediaKind } from "./media.ts";
import type { Part, ProtocolRequest, RequestFacts } from "../protocol.ts";

/** A request that is a form: fields and files of a multipart body, or the members of a JSON object. */
export interface Form {
  /** The first value of a field as text, as `FormData` gives it. */
  field(name: string): string | undefined;
  /** Every field that is no file, in order; a JSON value that is no scalar as JSON. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FormFile[];
}

export interface FormFile {
  readonly field: string;
  readonly name: string;
  /** MIME type; "application/octet-stream" where the client gave none. */
  readonly type: string;
  readonly content: Uint8Array;
}

/**
 * Reads requests that are a form. `operation` is for people: "An upload".
 * @throws TapedeckError `tapedeck_bad_request` where the body is none, or lacks one of the fields or files `needs`.
 */
export function formWith(operation: string, ...needs: readonly string[]): (request: ProtocolRequest) => Form {
  const wanted = needs.map((name) => `"${name}"`).join(" and ") || "its fields";
  const hint = `${operation} takes ${wanted} as a multipart form or as JSON.`;
  return ({ body }) => {
    if (body.kind === "empty") throw badRequest("the body is empty.", hint);
    const form = body.kind === "json" ? jsonForm(body.tree) : multipartForm(partsOf(body));
    if (form === undefined) throw badRequest("the body is neither a multipart form nor a JSON object.", hint);
    const names = new Set([...form.fields.map(([name]) => name), ...form.files.map(({ field }) => field)]);
    const missing = needs.find((name) => !names.has(name));
    if (missing !== undefined) throw badRequest(`"${missing}" is missing.`, hint);
    return form;
  };
}

function multipartForm(parts: readonly MultipartPart[] | undefined): Form | undefined {
  if (parts === undefined) return undefined;
  const fields = parts.flatMap(({ name, filename, content }) =>
    filename === undefined ? [[bareName(name), textOf(content)] as const] : [],
  );
  const files = parts.flatMap(({ name, filename, contentType, content }) =>
    filename === undefined
      ? []
      : [{ field: bareName(name), name: filename, type: contentType ?? "application/octet-stream", content }],
  );
  return formFrom(fields, files);
}

/** A list is sent as `image[]` by some clients and as `image` by others. */
const bareName = (name: string | undefined): string => (name ?? "").replace(/\[\d*\]$/, "");

function jsonForm(tree: JsonTree): Form | undefined {
  if (!isJsonObject(tree)) return undefined;
  return formFrom(
    tree.members.map(([name, value]) => [name, scalarText(value)] as const),
    [],
  );
}

function scalarText(value: JsonTree): string {
  if (typeof value === "string") return value;
  if (value !== null && typeof value === "object" && isJsonNumber(value)) return value.number;
  return value !== null && typeof value === "object" ? "…" : String(value);
}

function formFrom(fields: Form["fields"], files: readonly FormFile[]): Form {
  return { fields, files, field: (name) => fields.find(([key]) => key === name)?.[1] };
}

export function formFacts(form: Form, label: string): RequestFacts {
  return { model: form.field("model") || undefined, streaming: form.field("stream") === "true", label };
}

/** The files of a form as parts that a person can open. */
export function fileParts({ files }: Form): Part[] {
  return files.map(({ name, type, content }) => {
    const [essence = type] = type.split(";", 1);
    return mediaBytes(mediaKind(essence), content, { type: essence, name });
  });
}

/** Every field but those that `shown` names. */
export function formSettings({ fields }: Form, shown: readonly string[] = []): (readonly [string, string])[] {
  return fields.filter(([name, value]) => !shown.includes(name) && value !== "");
}
