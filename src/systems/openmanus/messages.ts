import { type Fields, readFields, readList } from "../../core/base/lenient.ts";
import { invalid } from "../../client/errors.ts";
import { writePythonRepr } from "../../client/python/write.ts";
import { listDictEntries, isDict } from "../../client/python/value.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

const MARKER = Symbol.for("llm-tapedeck.openmanus-message");

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/** A tool call of a chat completion. Providers may send more fields. */
export interface ManusToolCall {
  readonly id: string;
  readonly type: "function";
  /** `arguments` is JSON as the model wrote it. */
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [field: string]: unknown;
}

/** The message of a chat completion as the provider sent it. The types are those of OpenAI's API and are not checked. */
export interface ModelMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly ManusToolCall[] | null;
  readonly refusal?: string | null;
  readonly [field: string]: unknown;
}

/** OpenManus's `Message`; null and absent fields are the same. */
export interface ManusMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly Fields[] | null;
  readonly name?: string | null;
  readonly tool_call_id?: string | null;
  readonly base64_image?: string | null;
}

type MarkedMessage = ManusMessage & { readonly [MARKER]: true };

/** Creates a `Message`. Functions also accept a plain map, whose fields are all sent. */
export function message(fields: ManusMessage): ManusMessage {
  const marked: MarkedMessage = { ...fields, [MARKER]: true };
  return Object.freeze(marked);
}

export const userMessage = (content: string, base64Image?: string): ManusMessage =>
  message({ role: "user", content, ...pickDefined({ base64_image: base64Image }) });
export const systemMessage = (content: string): ManusMessage => message({ role: "system", content });
export const assistantMessage = (content: string | null, toolCalls?: readonly Fields[]): ManusMessage =>
  message({ role: "assistant", content, ...pickDefined({ tool_calls: toolCalls }) });
export function toolMessage(
  content: string,
  of: { readonly name: string; readonly toolCallId: string; readonly base64Image?: string },
): ManusMessage {
  const { name, toolCallId, base64Image } = of;
  return message(
    pickDefined({ role: "tool", content, name, tool_call_id: toolCallId, base64_image: base64Image }),
  );
}

/**
 * Returns messages as they are sent. Messages without content and tool calls are omitted. Pictures become parts if the
 * model accepts images, and are omitted otherwise. The input is not changed.
 * @throws ChatError "validation" for a wrong type or a missing role, and, after all messages, for an unknown role
 */
export function formatMessages(messages: unknown, supportsImages = false): readonly Fields[] {
  if (!Array.isArray(messages)) throw invalid("messages", `must be a list, not ${pythonClass(messages)}`);
  const formatted = messages
    .map((one: unknown, index) => withImage(fieldsAt(one, index), supportsImages))
    .filter((fields) => "content" in fields || "tool_calls" in fields);
  for (const { role } of formatted) {
    if (!ROLES.has(role))
      throw createRefusedError(
        "messages",
        `Invalid role: ${typeof role === "string" ? role : writePythonRepr(role)}`,
      );
  }
  return formatted;
}

function fieldsAt(one: unknown, index: number): Fields {
  const where = `messages[${index}]`;
  if (isMessage(one)) return messageFields(one);
  if (!isDict(one)) throw createRefusedError(where, `Unsupported message type: ${pythonClass(one)}`);
  const fields = Object.fromEntries(listDictEntries(one));
  if (!("role" in fields)) throw createRefusedError(where, "Message dict must contain 'role' field");
  return fields;
}

function isMessage(value: unknown): value is ManusMessage {
  return typeof value === "object" && value !== null && MARKER in value;
}

const FIELDS = ["role", "content", "tool_calls", "name", "tool_call_id", "base64_image"] as const;

function messageFields(one: ManusMessage): Fields {
  return Object.fromEntries(
    FIELDS.map((name) => [name, one[name]] as const).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );
}

function withImage(fields: Fields, supportsImages: boolean): Fields {
  const { base64_image: image, ...rest } = fields;
  if (typeof image !== "string" || image === "") return fields;
  if (!supportsImages) return rest;
  const { content } = rest;
  const before = Array.isArray(content) ? content.map(asPart) : content ? [asPart(content)] : [];
  const picture = { type: "image_url", image_url: { url: `data:image/jpeg;base64,${image}` } };
  return { ...rest, content: [...before, picture] };
}

const asPart = (item: unknown): unknown => (typeof item === "string" ? { type: "text", text: item } : item);

/** The texts are those of OpenManus, so the position is a separate field. */
export function createRefusedError(where: string, text: string): Error {
  return Object.assign(invalid(where, text), { message: text });
}

/** Returns Python's name for the type of a value. */
function pythonClass(value: unknown): string {
  if (value === null || value === undefined) return "<class 'NoneType'>";
  if (typeof value === "string") return "<class 'str'>";
  if (typeof value === "boolean") return "<class 'bool'>";
  if (typeof value === "number") return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>";
  return Array.isArray(value) ? "<class 'list'>" : `<class '${typeof value}'>`;
}

/** Exact names of models that accept pictures. */
export const MULTIMODAL_MODELS: readonly string[] = [
  "gpt-4-vision-preview",
  "gpt-4o",
  "gpt-4o-mini",
  "claude-3-opus-20240229",
  "claude-3-sonnet-20240229",
  "claude-3-haiku-20240307",
];

/** An address, a map with `url` (and `detail`), or a part with `image_url`. */
export type ImageInput = string | Fields;

/** @throws ChatError "validation" for a model that does not accept pictures */
export function expectImageSupport(model: string): void {
  if (MULTIMODAL_MODELS.includes(model)) return;
  throw createRefusedError(
    "model",
    `Model ${model} does not support images. Use a model from ${writePythonRepr(MULTIMODAL_MODELS)}`,
  );
}

/** Formats messages and adds the pictures to the last one. @throws ChatError "validation" */
export function withImages(messages: readonly Fields[], images: readonly ImageInput[]): readonly Fields[] {
  const last = messages.at(-1);
  if (last?.["role"] !== "user") {
    throw createRefusedError("messages", "The last message must be from the user to attach images");
  }
  const { content } = last;
  const before = typeof content === "string" ? [{ type: "text", text: content }] : readList(content);
  return [...messages.slice(0, -1), { ...last, content: [...before, ...images.map(imagePart)] }];
}

function imagePart(image: ImageInput, index: number): unknown {
  if (typeof image === "string") return { type: "image_url", image_url: { url: image } };
  const fields = readFields(image);
  if ("url" in fields) return { type: "image_url", image_url: image };
  if ("image_url" in fields) return image;
  throw createRefusedError(`images[${index}]`, `Unsupported image format: ${writePythonRepr(image)}`);
}
