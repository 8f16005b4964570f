import { invalid } from "./errors.ts";
import { type Fields, isFields } from "../core/protocol/reading/lenient.ts";
import { notJson, shown, typeName } from "./json/plain.ts";
import { mediaFault } from "./media.ts";
import { PART_TYPES, ROLES, type MediaPart } from "./message.ts";

/** @throws ChatError "validation" that names the place, which begins with `where`. */
export function checkMessage(message: unknown, where: string): void {
  if (!isFields(message)) throw invalid(where, `a message is expected, got ${typeName(message)}`);
  const { role, parts } = message;
  if (!ROLES.some((known) => known === role))
    throw invalid(`${where}.role`, `${shown(role)} is no role; the roles are ${ROLES.join(", ")}`);
  if (!Array.isArray(parts))
    throw invalid(`${where}.parts`, `a list of parts is expected, got ${typeName(parts)}`);
  if (parts.length === 0)
    throw invalid(`${where}.parts`, "the message is empty", "Leave it out, or say something.");
  checkText(message, "name", where, true);
  checkExtras(message, where);
  parts.forEach((part: unknown, index) => checkPart(part, String(role), `${where}.parts[${index}]`));
}

function checkPart(part: unknown, role: string, where: string): void {
  if (!isFields(part)) throw invalid(where, `a part is expected, got ${typeName(part)}`);
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
        `${shown(part["type"])} is no type of part; the types are ${PART_TYPES.join(", ")}`,
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
      `a tool's result is the tool's or the user's to give, and this is a ${role} message`,
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
      throw invalid(`${place}.type`, `${shown(item["type"])} cannot stand inside a tool's result`);
    checkPart(item, role, place);
  });
}

function checkMedia(part: Fields, where: string): void {
  const { source } = part;
  if (!isFields(source)) throw invalid(`${where}.source`, `a source is expected, got ${typeName(source)}`);
  const fields = MEDIA_FIELDS[String(source["kind"])];
  if (fields === undefined)
    throw invalid(`${where}.source.kind`, `${shown(source["kind"])} is none of url, base64 and id`);
  for (const field of fields) checkText(source, field, `${where}.source`);
  const fault = mediaFault(part as unknown as MediaPart);
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
  if (extras === undefined) return;
  if (!isFields(extras)) throw invalid(`${where}.extras`, `an object is expected, got ${typeName(extras)}`);
  const fault = notJson(extras, `${where}.extras`);
  if (fault !== undefined) throw invalid(`${where}.extras`, `JSON cannot hold ${fault}`);
}
