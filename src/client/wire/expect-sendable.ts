import { readFields, isFields, isText, readList } from "../../core/base/lenient.ts";
import { invalid } from "../errors.ts";
import { findInlineFault } from "../media.ts";

const ROLES: ReadonlySet<unknown> = new Set([
  "system",
  "developer",
  "user",
  "assistant",
  "tool",
  "function",
  "model",
]);

/** The parts of a request in any provider's format that are checked before it is sent. */
export interface Sendable {
  readonly messages: unknown;
  /** In OpenAI's format, or with the name at the top level. */
  readonly tools?: unknown;
  /** In a provider's format, or a name. The named tool must be among the tools. */
  readonly toolChoice?: unknown;
  /** Limits and times by name; numbers must be at least 0. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Whether an empty conversation is accepted here, because the caller checks it. Default false. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Rejects requests that no provider accepts: without messages, with unknown roles, invalid images, tools without names,
 * unknown tool choices, circular values, or negative limits.
 * @throws ChatError "validation" with the place
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
        `${JSON.stringify(role)} is not a role; the roles are ${[...ROLES].join(", ")}`,
      );
    if (CONTENT.every((name) => fieldOf(message, name) === undefined))
      throw invalid(where, "the message is empty", "Leave it out, or say something.");
    expectPictures(message, where);
  });
}

/** Members with the content of a message in any provider's format. Their value can be null or empty. */
const CONTENT = "content parts tool_calls function_call images audio refusal".split(" ");

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

/** Checks a tool choice of OpenAI (`{ type: "function", function: { name } }`) or Anthropic (`{ type: "tool", name }`). */
function expectChoice(choice: unknown, tools: unknown): void {
  const name = fieldOf(fieldOf(choice, "function"), "name") ?? fieldOf(choice, "name");
  if (typeof name !== "string") return;
  const names = readList(tools).map(toolName).filter(isText);
  if (names.includes(name)) return;
  const known = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  throw invalid("tool_choice", `no tool is called "${name}"; ${known}`);
}

function toolName(tool: unknown): unknown {
  return fieldOf(fieldOf(tool, "function"), "name") ?? fieldOf(tool, "name");
}

/** Returns the limits among a provider's arguments. */
export function readSendLimits(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(LIMITS.filter((name) => name in args).map((name) => [name, args[name]]));
}

const LIMITS = "max_tokens max_completion_tokens max_output_tokens maxOutputTokens timeout".split(" ");

function expectTool(tool: unknown, where: string): void {
  expectNoCircle(tool, where, []);
  const inner = fieldOf(tool, "function");
  // The caller checks values that are not tools.
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
 * Checks an image in a message in any provider's format, and returns its fault and place. Checks only that it has a URL,
 * and that inline data is base64 with an image type. Other URLs are checked by the provider.
 */
function pictureFault(part: unknown, where: string): readonly [where: string, fault: string] | undefined {
  if (!isFields(part)) return undefined;
  if ("image_url" in part) {
    const given = part["image_url"];
    const at = isFields(given) ? `${where}.image_url.url` : `${where}.image_url`;
    return withPlace(at, addressFault(isFields(given) ? given["url"] : given));
  }
  if (typeof part["image"] === "string") return withPlace(`${where}.image`, addressFault(part["image"]));
  const source = readFields(part["source"]);
  if (part["type"] === "image" && source["type"] === "base64")
    return withPlace(`${where}.source`, dataFault(source["media_type"], source["data"]));
  const inline = readFields(part["inline_data"] ?? part["inlineData"]);
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
  if (inline === null) return /^data:/i.test(url) ? "the image's URL contains no data" : undefined;
  return dataFault(inline[1], inline[2]);
}

function dataFault(mediaType: unknown, data: unknown): string | undefined {
  // Binary data is not checked.
  if (typeof data !== "string") return data === undefined ? "the image is empty" : undefined;
  return findInlineFault("image", typeof mediaType === "string" ? mediaType : "", data);
}
