import { localize, joinList } from "../../base/localize.ts";
import { createBadRequest } from "../../base/errors.ts";
import { isJsonObject, plainJson, type JsonObject } from "../../base/json/json-tree.ts";
import { formatSize, formatCount, formatPlural } from "../../base/plural.ts";
import { isMultipart, readParts } from "../../base/read-body.ts";
import { decodeText } from "../../base/wire/text.ts";
import type { ConversationMessage, ConversationPart, ProtocolRequest } from "../base/protocol.ts";
import { readFields, isFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import {
  createMediaAt,
  createMediaFromBytes,
  createMedia,
  getMediaKind,
  createNamedMedia,
} from "../base/media.ts";
import { createOtherPart, createTextPart } from "../base/parts.ts";
import { readNameFromPath, createObjectReader, shortenLabel } from "../base/operation.ts";
import { listSettings } from "../base/settings.ts";

/** The content of a row's request: the members of a JSON object, or the fields and files of a form. */
export interface RequestContent {
  /** Decoded; "" if the path contains no name. */
  readonly id: string;
  readonly fields: Fields;
  readonly files: readonly SentFile[];
  /** The members as written, if the body is JSON. */
  readonly tree?: JsonObject;
}

interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Requirements for a row's requests. */
export interface Takes {
  /** The operation as an error message names it: "A ranking". */
  readonly what: string;
  /** Required members, or fields and files of a form. "|" separates alternatives. */
  readonly needs: readonly string[];
  /** Whether the body may be a multipart form. */
  readonly form?: true;
}

/**
 * Reads a request. A row without `takes` accepts any body, or none.
 * @throws TapedeckError `tapedeck_bad_request` if the body does not meet the row's requirements.
 */
export function readSent(request: ProtocolRequest, path: RegExp, takes: Takes | undefined): RequestContent {
  const { body } = request;
  const id = readNameFromPath(request, path);
  if (takes !== undefined && takes.form !== true) {
    // Azure's paths name the model: `/openai/deployments/NAME/embeddings`.
    const isNamed = request.path.includes("/deployments/");
    const tree = createObjectReader(
      takes.what,
      ...takes.needs.filter((name) => !isNamed || name !== "model"),
    )(request);
    return { id, fields: readFields(plainJson(tree)), files: [], tree };
  }
  const sent = isFormLike(body) ? readForm(body) : undefined;
  if (takes === undefined) return { id, fields: {}, files: [], ...sent };
  const hint = (): string => {
    const names = takes.needs.map((name) => `"${name.split("|", 1)[0]}"`);
    const fields = names.length === 0 ? localize("its fields") : joinList(names);
    return localize("{0} needs {1} as a multipart form or as JSON.", localize(takes.what), fields);
  };
  if (body.kind === "empty") throw createBadRequest(localize("the body is empty."), hint());
  if (sent === undefined)
    throw createBadRequest(localize("the body is neither a multipart form nor a JSON object."), hint());
  const has = (name: string): boolean => name in sent.fields || sent.fileNames.includes(name);
  const missing = takes.needs.find((names) => !names.split("|").some(has));
  if (missing !== undefined)
    throw createBadRequest(localize('"{0}" is missing.', missing.split("|", 1)[0] ?? missing), hint());
  return { id, ...sent };
}

export const isFormLike = (body: ProtocolRequest["body"]): boolean =>
  (body.kind === "json" && isJsonObject(body.tree)) ||
  (body.kind === "bytes" && isMultipart(body.contentType));

/** Reads the members of a JSON object, or the fields and files of a form. */
export function readForm(
  body: ProtocolRequest["body"],
): Omit<RequestContent, "id"> & { readonly fileNames: readonly string[] } {
  if (body.kind === "json" && isJsonObject(body.tree))
    return { fields: readFields(plainJson(body.tree)), files: [], tree: body.tree, fileNames: [] };
  const parts = (readParts(body) ?? []).map((part) => ({ ...part, name: bareName(part.name) }));
  const texts = parts.filter(({ filename }) => filename === undefined);
  const files = parts.filter(({ filename }) => filename !== undefined);
  return {
    // The first value of a field counts, as in `FormData.get`.
    fields: Object.fromEntries(
      texts.map(({ name, content }) => [name, decodeText(content)] as const).reverse(),
    ),
    files: files.map(({ filename = "", contentType, content }) => {
      const [type = ""] = (contentType ?? "application/octet-stream").split(";", 1);
      return { name: filename, type, content };
    }),
    fileNames: files.map(({ name }) => name),
  };
}

/** Returns a field's name without the brackets that some clients add to lists: `image[]`. */
const bareName = (name: string | undefined): string => (name ?? "").replace(/\[\d*\]$/, "");

/** Returns the values at a JSON pointer. A "*" in the pointer matches every item of a list. */
export function getValuesAt(fields: Fields, pointer: string): readonly unknown[] {
  return pointer
    .split("/")
    .slice(1)
    .reduce<readonly unknown[]>(
      (values, step) =>
        values.flatMap((value) => {
          if (step === "*") return readList(value);
          const inner = readFields(value)[step];
          return inner === undefined ? [] : [inner];
        }),
      [fields],
    );
}

/** Returns the first text at a pointer that is not blank. */
export const getFieldText = (fields: Fields, pointer: string): string | undefined =>
  getValuesAt(fields, pointer).find((value) => typeof value === "string" && value.trim() !== "") as
    | string
    | undefined;

/**
 * Fills the first template whose placeholders all have a value. `{/query}` is the text at a pointer, `{files}` the names
 * of the files, `{file}` the name and size of the first file, and `{#/documents document}` a count with its noun. If "|"
 * separates several counts, zeros are omitted.
 */
export function fillLabel(templates: readonly string[], sent: RequestContent): string | undefined {
  for (const template of templates) {
    let isFilled = true;
    const label = localize(template).replace(/\{([^}]+)\}/g, (_, place: string) => {
      const text = placeText(place, sent);
      isFilled &&= text !== undefined;
      return text ?? "";
    });
    if (isFilled) return label;
  }
  return undefined;
}

function placeText(place: string, sent: RequestContent): string | undefined {
  const { files } = sent;
  if (place === "files") return readText(files.map(({ name }) => name).join(", "));
  if (place === "file") return files[0] && `${files[0].name}, ${formatSize(files[0].content.byteLength)}`;
  if (!place.startsWith("#")) return shortenLabel(getFieldText(sent.fields, place) ?? "") || undefined;
  const counts = place.split("|").flatMap((one) => {
    const [pointer = "", noun = ""] = one.slice(1).split(" ");
    const count = pointer === "files" ? sent.files.length : countAt(sent.fields, pointer, noun);
    return count === undefined ? [] : [{ count, text: nounText(count, noun) }];
  });
  const shown = counts.length === 1 ? counts : counts.filter(({ count }) => count > 0);
  return readText(shown.map(({ text }) => text).join(localize(" and ")));
}

/** Adds the English plural. Nouns of a translation stay the same. */
const nounText = (count: number, noun: string): string =>
  /^[a-z]+$/.test(noun) ? formatPlural(count, noun) : `${formatCount(count)} ${noun}`;

/** Counts texts, or tokens. A list of numbers is one tokenized text. */
function countAt(fields: Fields, pointer: string, noun: string): number | undefined {
  const [value] = getValuesAt(fields, pointer);
  if (value === undefined) return undefined;
  return noun === "token" ? readList(value).length : listFieldItems(value).length;
}

/** Returns the items of a list, or a single value; the tokens of a text are one value. */
export function listFieldItems(value: unknown): readonly unknown[] {
  const list = readList(value);
  const isTokens = list.length > 0 && list.every((one) => typeof one === "number");
  return Array.isArray(value) && !isTokens ? list : [value];
}

/** A message: its role, and the pointers to its values. The files belong to the first message. */
export type Sends = readonly [role: string, ...pointers: string[]];

export function listSentMessages(
  sends: readonly Sends[],
  { fields, files }: RequestContent,
): ConversationMessage[] {
  const fileParts = files.map(({ name, type, content }) =>
    createMediaFromBytes(getMediaKind(type), content, { type, name }),
  );
  const messages = sends.map(([role, ...pointers], index) => ({
    role,
    parts: [
      ...pointers.flatMap((pointer) => getValuesAt(fields, pointer).flatMap(listFieldItems).map(sentPart)),
      ...(index === 0 ? fileParts : []),
    ],
  }));
  return messages.filter(({ parts }) => messages.length === 1 || parts.length > 0);
}

/** Reads a text, tokens, an image, or a document in the formats of the various APIs. */
function sentPart(value: unknown): ConversationPart {
  if (typeof value === "string")
    return value.startsWith("data:") ? createMediaAt("image", value) : createTextPart(value);
  if (Array.isArray(value)) return createTextPart(formatPlural(value.length, "token"));
  const fields = readFields(value);
  const text = fields["text"] ?? fields["content"];
  if (typeof text === "string") return createTextPart(text);
  const name = readText(fields["document_name"]);
  const image = readText(fields["image_url"]) ?? readText(readFields(fields["image_url"])["url"]);
  if (image !== undefined) return createMediaAt("image", image, name);
  // DashScope's parts have their kind as the only member.
  for (const media of ["image", "audio", "video"] as const) {
    const url = readText(fields[media]);
    if (url !== undefined) return createMediaAt(media, url);
  }
  const file = readText(fields["document_url"]);
  if (file !== undefined) return createMediaAt("file", file, name);
  const id = readText(fields["file_id"]);
  if (id !== undefined) return createNamedMedia("file", id);
  const inline = readFields(fields["inlineData"] ?? fields["inline_data"]);
  const type = readText(inline["mimeType"]) ?? readText(inline["mime_type"]) ?? "file";
  const data = readText(inline["data"]);
  if (data !== undefined) return createMedia(getMediaKind(type), type, data);
  return isFields(value)
    ? createOtherPart(readText(fields["type"]) ?? "input", stringifyJson(value))
    : createTextPart(stringifyJson(value));
}

/** Formats all other members or fields. */
export function listSentSettings(
  { tree, fields }: RequestContent,
  shown: readonly string[],
): (readonly [string, string])[] {
  if (tree !== undefined) return listSettings(tree, shown);
  return Object.entries(fields)
    .filter(([name, value]) => !shown.includes(name) && value !== "")
    .map(([name, value]) => [name, String(value)]);
}
