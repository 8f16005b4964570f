import { expectOptions } from "../../client/check-options.ts";
import { type Fields, readFields, readList } from "../../core/base/lenient.ts";
import { invalid } from "../../client/errors.ts";
import { listDictEntries, getDictValue, isDict, typeName } from "../../client/python/value.ts";

const MARKER = Symbol.for("llm-tapedeck.metagpt-message");

/** The fields of MetaGPT's `Message` object that clients use. It never changes. */
export interface MetaGptMessage {
  readonly [MARKER]: true;
  readonly content: string;
  readonly role: string;
  /** Base64 pictures, or addresses that begin with "http". */
  readonly images: readonly string[];
}

/** Makes a `Message`; its role is "user" unless another one is given. */
export function message(
  content: string,
  options: { readonly role?: string; readonly images?: readonly string[] } = {},
): MetaGptMessage {
  expectOptions(options, { role: true, images: true });
  const { role = "user", images = [] } = options;
  return Object.freeze({ [MARKER]: true as const, content, role, images: Object.freeze([...images]) });
}

export function isMessage(value: unknown): value is MetaGptMessage {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Input of `aask_code`: a text, a `Message`, a map with exactly `role` and `content`, or a list of these. */
export type CodeMessages = MessageLike | readonly MessageLike[];
type MessageLike = string | MetaGptMessage | object;

/**
 * Models that are taken to see pictures: those whose name contains one of these. Legacy keys depend on it, so that later
 * models are not added. Source: `MULTI_MODAL_MODELS` of MetaGPT.
 */
const SEEING =
  "gpt-4o gemini-2.0-flash-exp gemini-2.0-pro-exp-02-05 claude-3-5-sonnet-v2 anthropic/claude-3.5-sonnet anthropic/claude-3.7-sonnet".split(
    " ",
  );

export const seesImages = (model: string): boolean => SEEING.some((name) => model.includes(name));

/**
 * MetaGPT's `format_msg`: everything as maps `{role, content}`. Maps that are given pass as they are.
 * @throws ChatError "validation" that names the element
 */
export function formatMsg(messages: unknown, options: { readonly seesImages: boolean }): readonly object[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.map((element, index) => formatOne(element, `messages[${index}]`, options));
}

function formatOne(element: unknown, where: string, options: { readonly seesImages: boolean }): object {
  if (typeof element === "string") return { role: "user", content: element };
  if (isMessage(element)) {
    const { role, content, images } = element;
    return images.length > 0 ? createUserMsg(content, images, options.seesImages) : { role, content };
  }
  if (!isDict(element)) {
    throw invalid(
      where,
      `Only support message type are: str, Message, dict, but got ${typeName(element)}!`,
      "Give a text, message(…), or a map with role and content.",
    );
  }
  const names = listDictEntries(element).map(([name]) => name);
  if (names.length !== 2 || getDictValue(element, "role") === undefined || !names.includes("content")) {
    throw invalid(
      where,
      "message must have exactly the keys role and content",
      `It has ${quoteNames(names)}.`,
    );
  }
  return element;
}

/** Creates a user message, with its pictures if the model accepts pictures. */
export function createUserMsg(text: unknown, images: readonly string[], sees: boolean): object {
  if (images.length === 0 || !sees) return { role: "user", content: text };
  const parts = images.map((image) => ({ type: "image_url", image_url: { url: imageAddress(image) } }));
  return { role: "user", content: [{ type: "text", text }, ...parts] };
}

function imageAddress(image: string): string {
  return image.startsWith("http") ? image : `data:image/jpeg;base64,${image}`;
}

function quoteNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => JSON.stringify(name)).join(", ");
}

const PREFIX = "data:image/";

/** Returns a message for a log, with placeholders for pictures. The message that is sent is not changed. */
export function maskBase64Data(shown: Fields): Fields {
  const { content } = shown;
  if (typeof content === "string") {
    return content.includes(PREFIX)
      ? { ...shown, content: "<Messages containing image base64 data have been omitted>" }
      : shown;
  }
  if (!Array.isArray(content)) return shown;
  return { ...shown, content: readList(content).map(maskPart) };
}

function maskPart(part: unknown): unknown {
  const { type, image_url: image } = readFields(part);
  const { url } = readFields(image);
  if (type !== "image_url" || typeof url !== "string" || !url.startsWith(PREFIX)) return part;
  return { ...readFields(part), image_url: { url: "<Image base64 data has been omitted>" } };
}
