import { fieldsOf, isFields, isText, listOf } from "../../core/base/lenient.ts";
import { invalid } from "../errors.ts";
import { inlineFault } from "../media.ts";

const ROLES: ReadonlySet<unknown> = new Set([
  "system",
  "developer",
  "user",
  "assistant",
  "tool",
  "function",
  "model",
]);

/** What a request must have before anything is sent, whichever vocabulary it was written in. */
export interface Sendable {
  readonly messages: unknown;
  /** OpenAI's form, or with the name on top. */
  readonly tools?: unknown;
  /** A provider's own form of it, or a name: what it names must be among the tools. */
  readonly toolChoice?: unknown;
  /** Limits and times by their names: numbers from 0, or nothing. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Whether a conversation without messages is for somebody else to judge. Default false. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Refuses what no provider takes: no messages, roles that are none, pictures that are none, tools without names, choices
 * of tools that are not there, values that contain themselves, negative limits.
 * @throws ChatError "validation" that names the place
 */
export function expectSendable(sendable: Sendable): void {
  const { messages, tools, toolChoice, limits = {}, mayBeEmpty = false } = sendable;
  if (Array.isArray(messages)) {
    if (messages.length === 0 && !mayBeEmpty) throw invalid("messages", "the list is empty");
    expectMessages(messages);
  }
  if (Array.isArray(tools)) tools.forEach((tool, at) => expectTool(tool, `tools[${at}]`));
  expectChoice(toolChoice, tools);
  for (const [name, value] of Object.entries(limits))
    if (typeof value === "number" && !(value >= 0)) throw invalid(name, `must be 0 or more, not ${value}`);
}

function expectMessages(messages: readonly unknown[]): void {
  messages.forEach((message, at) => {
    const where = `messages[${at}]`;
    expectNoCircle(message, where, []);
    const role = fieldOf(message, "role");
    if (role !== undefined && !ROLES.has(role))
      throw invalid(
        `${where}.role`,
        `${JSON.stringify(role)} is no role; the roles are ${[...ROLES].join(", ")}`,
      );
    if (SAID.every((name) => fieldOf(message, name) === undefined))
      throw invalid(where, "the message is empty", "Leave it out, or say something.");
    expectPictures(message, where);
  });
}

/** Where a message says something, in any provider's form. Nothing (null, an empty list) may be said on purpose. */
const SAID = "content parts tool_calls function_call images audio refusal".split(" ");

function expectPictures(message: unknown, where: string): void {
  for (const list of ["content", "parts"] as const) {
    const parts = fieldOf(message, list);
    if (!Array.isArray(parts)) continue;
    parts.forEach((part: unknown, at) => {
      const fault = pictureFault(part, `${where}.${list}[${at}]`);
      if (fault !== undefined) throw invalid(...fault);
    });
  }
}

/** `{ type: "function", function: { name } }` is OpenAI's, `{ type: "tool", name }` Anthropic's. */
function expectChoice(choice: unknown, tools: unknown): void {
  const name = fieldOf(fieldOf(choice, "function"), "name") ?? fieldOf(choice, "name");
  if (typeof name !== "string") return;
  const names = listOf(tools).map(toolName).filter(isText);
  if (names.includes(name)) return;
  const known = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  throw invalid("tool_choice", `no tool is called "${name}"; ${known}`);
}

function toolName(tool: unknown): unknown {
  return fieldOf(fieldOf(tool, "function"), "name") ?? fieldOf(tool, "name");
}

/** The limits among a provider's arguments, whoever names them how. */
export function limitsIn(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(LIMITS.filter((name) => name in args).map((name) => [name, args[name]]));
}

const LIMITS = "max_tokens max_completion_tokens max_output_tokens maxOutputTokens timeout".split(" ");

function expectTool(tool: unknown, where: string): void {
  expectNoCircle(tool, where, []);
  const inner = fieldOf(tool, "function");
  // What is no tool at all is judged by whoever knows the vocabulary.
  if (inner === undefined && fieldOf(tool, "name") === undefined && fieldOf(tool, "type") !== "function")
    return;
  const name = inner === undefined ? fieldOf(tool, "name") : fieldOf(inner, "name");
  if (typeof name === "string" && name !== "") return;
  throw invalid(`${where}${inner === undefined ? "" : ".function"}.name`, "a tool needs a name");
}

function expectNoCircle(value: unknown, where: string, above: readonly unknown[]): void {
  if (typeof value !== "object" || value === null) return;
  if (above.includes(value)) throw invalid(where, "the value contains itself");
  const inside = [...above, value];
  for (const [name, one] of Object.entries(value))
    expectNoCircle(one, Array.isArray(value) ? `${where}[${name}]` : `${where}.${name}`, inside);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/**
 * What is wrong with a picture inside a message, in any provider's form, with its place behind `where`; undefined where
 * it is none or may be one. Only what needs no look at the picture is judged: whether there is an address at all, and
 * whether inline data is base64 of a picture's type. An address that is no `data:` is the provider's to look at.
 */
function pictureFault(part: unknown, where: string): readonly [where: string, fault: string] | undefined {
  if (!isFields(part)) return undefined;
  if ("image_url" in part) {
    const given = part["image_url"];
    const at = isFields(given) ? `${where}.image_url.url` : `${where}.image_url`;
    return withPlace(at, addressFault(isFields(given) ? given["url"] : given));
  }
  if (typeof part["image"] === "string") return withPlace(`${where}.image`, addressFault(part["image"]));
  const source = fieldsOf(part["source"]);
  if (part["type"] === "image" && source["type"] === "base64")
    return withPlace(`${where}.source`, dataFault(source["media_type"], source["data"]));
  const inline = fieldsOf(part["inline_data"] ?? part["inlineData"]);
  const mediaType = inline["mime_type"] ?? inline["mimeType"];
  if (typeof mediaType !== "string" || !mediaType.startsWith("image/")) return undefined;
  return withPlace(`${where}.inline_data`, dataFault(mediaType, inline["data"]));
}

function withPlace(where: string, fault: string | undefined): readonly [string, string] | undefined {
  return fault === undefined ? undefined : [where, fault];
}

function addressFault(url: unknown): string | undefined {
  if (typeof url !== "string" || url.trim() === "") return "an image needs an address";
  const inline = /^data:([^;,]*)[^,]*,(.*)$/is.exec(url);
  if (inline === null) return /^data:/i.test(url) ? "the image's address holds no data" : undefined;
  return dataFault(inline[1], inline[2]);
}

function dataFault(mediaType: unknown, data: unknown): string | undefined {
  // Bytes are what they are.
  if (typeof data !== "string") return data === undefined ? "the image is empty" : undefined;
  return inlineFault("image", typeof mediaType === "string" ? mediaType : "", data);
}
