import { chatError } from "./errors.ts";
import { type Fields, isFields } from "../core/protocol/reading/lenient.ts";
import { shown } from "./json/plain.ts";
import { parsePythonJson } from "./json/python-json.ts";
import type { ToolCallPart } from "./message.ts";

/**
 * The arguments of a tool call: a JSON object; none at all is an empty one. Raw control characters inside texts, which
 * models write, are taken.
 * @throws ChatError "validation" that names the call and the place in its text.
 */
export function parseArguments(call: Pick<ToolCallPart, "id" | "name" | "arguments">): Fields {
  const where = `the arguments of ${call.name}${call.id === "" ? "" : ` (${call.id})`}`;
  if (call.arguments.trim() === "") return {};
  let value: unknown;
  try {
    value = parsePythonJson(call.arguments, { strict: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw chatError("validation", `${where} are no JSON: ${reason}`, { where, cause: error });
  }
  if (isFields(value)) return value;
  throw chatError("validation", `${where} are no object: ${shown(value)}`, { where });
}
