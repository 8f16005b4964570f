import { expectList } from "./check-options.ts";
import { type Fields, isFields } from "../core/base/lenient.ts";
import { cancelled, invalid } from "./errors.ts";
import { findNotJson, showValue, typeName } from "./json/plain.ts";
import { findMediaFault } from "./media.ts";
import { type MediaPart, PART_TYPES, ROLES } from "./message.ts";
import type { ChatRequest } from "./request.ts";
import { TOOL_CHOICES, type ToolDefinition } from "./tool.ts";

/**
 * Rejects requests that no provider can answer, before anything is sent. All clients call it first. Adapters reject
 * requests that their provider cannot answer.
 * @throws ChatError "validation" with the place (`messages[2].parts[0].source`), or "cancelled" if the signal is already
 * aborted
 */
export function checkRequest(request: ChatRequest): void {
  const given = requestObject(request);
  checkMessages(given["messages"]);
  checkTools(given["tools"]);
  checkToolChoice(given["toolChoice"], request.tools ?? []);
  checkSettings(given["settings"]);
  checkSignal(given["signal"]);
}

/** Checks that a request is an object, for wrappers whose inner client checks the rest. */
export const requestObject = (request: unknown): Fields => expectFields(request, "request", "an object");

function expectFields(value: unknown, where: string, expected: string): Fields {
  if (isFields(value)) return value;
  throw invalid(where, `${expected} is expected, got ${typeName(value)}`);
}

function expectJson(value: unknown, where: string): void {
  const fault = findNotJson(value, where);
  if (fault !== undefined) throw invalid(where, `JSON cannot hold ${fault}`);
}

function checkMessages(messages: unknown): void {
  expectList(messages, "messages");
  if (messages.length === 0)
    throw invalid("messages", "the list is empty", 'Give at least one message, e.g. user("…").');
  messages.forEach((message: unknown, index) => checkMessage(message, `messages[${index}]`));
}

function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  if (!(signal instanceof AbortSignal))
    throw invalid("signal", `an AbortSignal is expected, got ${showValue(signal)}`);
  if (signal.aborted) throw cancelled(signal.reason);
}

/** Checks a message. @throws ChatError "validation" with the place, which starts with `where` */
export function checkMessage(message: unknown, where: string): void {
  const fields = expectFields(message, where, "a message");
  const { role, parts } = fields;
  if (!ROLES.some((known) => known === role))
    throw invalid(`${where}.role`, `${showValue(role)} is not a role; the roles are ${ROLES.join(", ")}`);
  if (!Array.isArray(parts))
    throw invalid(`${where}.parts`, `a list of parts is expected, got ${typeName(parts)}`);
  if (parts.length === 0)
    throw invalid(`${where}.parts`, "the message is empty", "Leave it out, or say something.");
  checkText(fields, "name", where, true);
  checkExtras(fields, where);
  parts.forEach((part: unknown, index) => checkPart(part, String(role), `${where}.parts[${index}]`));
}

function checkPart(given: unknown, role: string, where: string): void {
  const part = expectFields(given, where, "a part");
  checkExtras(part, where);
  switch (part["type"]) {
    case "text":
    case "thinking":
      checkText(part, "text", where);
      return checkText(part, "signature", where, true);
    case "image":
    case "audio":
    case "video":
    case "file":
      return checkMedia(part, where);
    case "tool-call":
      return checkToolCall(part, role, where);
    case "tool-result":
      return checkToolResult(part, role, where);
    default:
      throw invalid(
        `${where}.type`,
        `${showValue(part["type"])} is not a type of part; the types are ${PART_TYPES.join(", ")}`,
      );
  }
}

function checkToolCall(part: Fields, role: string, where: string): void {
  if (role !== "assistant")
    throw invalid(where, `only the assistant calls tools, and this is a ${role} message`);
  checkText(part, "id", where);
  checkText(part, "arguments", where);
  checkText(part, "name", where);
  if (part["name"] === "") throw invalid(`${where}.name`, "the tool has no name");
}

function checkToolResult(part: Fields, role: string, where: string): void {
  if (role !== "tool" && role !== "user")
    throw invalid(
      where,
      `a tool's result is the tool's or the user's to give, and the role of this message is ${role}`,
    );
  checkText(part, "callId", where);
  checkText(part, "name", where, true);
  const { content } = part;
  if (typeof content === "string") return;
  if (!Array.isArray(content))
    throw invalid(`${where}.content`, `text or a list of parts is expected, got ${typeName(content)}`);
  content.forEach((item: unknown, index) => {
    const place = `${where}.content[${index}]`;
    if (isFields(item) && ["thinking", "tool-call", "tool-result"].includes(String(item["type"])))
      throw invalid(`${place}.type`, `${showValue(item["type"])} cannot be part of a tool result`);
    checkPart(item, role, place);
  });
}

function checkMedia(part: Fields, where: string): void {
  const source = expectFields(part["source"], `${where}.source`, "a source");
  const fields = MEDIA_FIELDS[String(source["kind"])];
  if (fields === undefined)
    throw invalid(`${where}.source.kind`, `${showValue(source["kind"])} is not one of url, base64, and id`);
  for (const field of fields) checkText(source, field, `${where}.source`);
  const fault = findMediaFault(part as unknown as MediaPart);
  if (fault !== undefined) throw invalid(`${where}.source`, fault);
}

const MEDIA_FIELDS: Readonly<Record<string, readonly string[]>> = {
  url: ["url"],
  base64: ["mediaType", "data"],
  id: ["id"],
};

function checkText(owner: Fields, field: string, where: string, optional = false): void {
  const value = owner[field];
  if (typeof value === "string" || (optional && value === undefined)) return;
  throw invalid(`${where}.${field}`, `text is expected, got ${typeName(value)}`);
}

function checkExtras(owner: Fields, where: string): void {
  const { extras } = owner;
  if (extras !== undefined)
    expectJson(expectFields(extras, `${where}.extras`, "an object"), `${where}.extras`);
}

/** Checks settings. @throws ChatError "validation" for a negative limit, or a value that JSON cannot hold */
function checkSettings(settings: unknown): void {
  if (settings === undefined) return;
  for (const [name, value] of Object.entries(expectFields(settings, "settings", "an object"))) {
    const where = `settings.${name}`;
    if (typeof value === "number" && !MAY_BE_NEGATIVE.has(name) && !(value >= 0))
      throw invalid(where, `a number from 0 on is expected, got ${value}`);
    expectJson(value, where);
  }
}

const MAY_BE_NEGATIVE: ReadonlySet<string> = new Set(["frequencyPenalty", "presencePenalty", "seed"]);

/** Checks the tools. @throws ChatError "validation" with the place of the tool */
function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  expectList(tools, "tools");
  const names = new Set<unknown>();
  tools.forEach((tool: unknown, index) => {
    const where = `tools[${index}]`;
    const { name, description, parameters } = expectFields(tool, where, "a tool");
    if (typeof name !== "string" || name === "") throw invalid(`${where}.name`, "the tool has no name");
    if (names.has(name)) throw invalid(`${where}.name`, `another tool is called "${name}" too`);
    names.add(name);
    if (description !== undefined && typeof description !== "string")
      throw invalid(`${where}.description`, `text is expected, got ${typeName(description)}`);
    const place = `${where}.parameters`;
    if (parameters !== undefined) expectJson(expectFields(parameters, place, "a JSON Schema"), place);
  });
}

/** Checks the tool choice. @throws ChatError "validation", also for an unknown tool */
function checkToolChoice(choice: unknown, tools: readonly ToolDefinition[]): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  const names = tools.map(({ name }) => name);
  const known = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  if (choice === "required") {
    if (names.length === 0) throw invalid("toolChoice", "a tool call is required, and there are no tools");
    return;
  }
  if (!isFields(choice) || typeof choice["tool"] !== "string")
    throw invalid(
      "toolChoice",
      `${showValue(choice)} is none of ${TOOL_CHOICES.join(", ")} and { tool: "…" }`,
    );
  if (!names.includes(choice["tool"]))
    throw invalid("toolChoice.tool", `no tool is called "${choice["tool"]}"; ${known}`);
}
