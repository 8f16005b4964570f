import { type Fields, isFields } from "../../core/base/lenient.ts";
import { showValue, typeName } from "../../client/json/plain.ts";
import { ROLES, type Role } from "../../client/message.ts";
import { type ChatProviderError, validationError } from "./errors.ts";
import { loadContentPart, loadToolCall, textPart, type ContentPart, type ToolCall } from "./parts.ts";

/** A message. Absent fields are null, as in the original. */
export interface Message {
  readonly role: Role;
  readonly name: string | null;
  readonly content: readonly ContentPart[];
  readonly toolCalls: readonly ToolCall[] | null;
  readonly toolCallId: string | null;
  readonly partial: boolean | null;
}

/** Content of a message: a string for one text part, a part, a list of parts, or null for no content. */
export interface MessageFields extends Partial<Omit<Message, "content" | "role">> {
  readonly role: Role;
  readonly content?: string | ContentPart | readonly ContentPart[] | null;
}

export function message(fields: MessageFields): Message {
  const { role, name = null, content = null, toolCalls = null, toolCallId = null, partial = null } = fields;
  return Object.freeze({ role, name, content: contentOf(content), toolCalls, toolCallId, partial });
}

export function extractText(made: Message, separator = ""): string {
  return partsOf(made)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(separator);
}

/** Returns a message's parts. @throws ChatProviderError if the content is not a list of parts, as `message` makes it */
export function partsOf(given: Message): readonly ContentPart[] {
  const { content } = given;
  if (Array.isArray(content)) return content as readonly ContentPart[];
  throw invalidMessage(`content must be a list of parts, got ${typeName(content)}; message() makes one`);
}

/**
 * Returns the written form. Null fields of the message and of its tool calls are omitted, unless `nulls` is set.
 * Null fields of content parts and inside `extras` stay, as in the original's `model_dump(exclude_none=True)`.
 */
export function dumpMessage(made: Message, { nulls = false }: { readonly nulls?: boolean } = {}): Fields {
  const content = partsOf(made);
  const { role, name, toolCalls, toolCallId, partial } = made;
  const [only] = content;
  const written = content.length === 1 && only?.type === "text" ? only.text : [...content];
  const all = { role, name, content: written, tool_calls: toolCalls, tool_call_id: toolCallId, partial };
  if (nulls) return all;
  return { ...withoutNulls({ ...all, content: undefined }), content: written };
}

/** Removes nulls at every depth, except the items of lists. */
function withoutNulls(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, inside(value)]));
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  return isFields(value) ? withoutNulls(value) : value;
}

/** Reads the written form. @throws ChatProviderError that names the field. */
export function loadMessage(value: unknown): Message {
  if (!isFields(value)) throw invalidMessage(`an object is expected, got ${typeName(value)}`);
  const role = ROLES.find((known) => known === value["role"]);
  if (role === undefined)
    throw invalidMessage(`role ${showValue(value["role"])} is none of ${ROLES.join(", ")}`);
  const { content = null, tool_calls: calls = null, partial = null } = value;
  if (calls !== null && !Array.isArray(calls))
    throw invalidMessage(`tool_calls must be a list, got ${typeName(calls)}`);
  if (partial !== null && typeof partial !== "boolean")
    throw invalidMessage(`partial must be true or false, got ${typeName(partial)}`);
  return message({
    role,
    name: optionalText(value, "name"),
    content: contentOf(Array.isArray(content) ? content.map(loadContentPart) : content),
    toolCalls: calls === null ? null : calls.map(loadToolCall),
    toolCallId: optionalText(value, "tool_call_id"),
    partial,
  });
}

function contentOf(content: unknown): readonly ContentPart[] {
  if (content === null || content === undefined) return Object.freeze([]);
  if (typeof content === "string") return Object.freeze([textPart(content)]);
  if (Array.isArray(content)) return Object.freeze([...(content as readonly ContentPart[])]);
  return Object.freeze([loadContentPart(content)]);
}

function optionalText(owner: Readonly<Record<string, unknown>>, field: string): string | null {
  const value = owner[field] ?? null;
  if (value === null || typeof value === "string") return value;
  throw invalidMessage(`${field} must be text, got ${typeName(value)}`);
}

const invalidMessage = (what: string): ChatProviderError => validationError(`Invalid message: ${what}.`);
