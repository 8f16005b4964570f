import { type Fields, isFields } from "../core/base/lenient.ts";
import { chatError } from "./errors.ts";
import { showValue } from "./json/plain.ts";
import { parsePythonJson } from "./json/python-json.ts";
import type { ToolCallPart } from "./message.ts";
import { describeThrown } from "../core/base/thrown-text.ts";

/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Description of a tool for the model. The caller runs the tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** An object schema; absent for a tool without parameters. */
  readonly parameters?: JsonSchema;
  /** Whether the provider enforces the schema, if it can. */
  readonly strict?: boolean;
}

/** Whether the model calls a tool; an object forces the call of one tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

export const TOOL_CHOICES: readonly Extract<ToolChoice, string>[] = ["auto", "none", "required"];

/**
 * Parses the arguments of a tool call: a JSON object, or an empty text for none. Accepts raw control characters in
 * strings, which models write.
 * @throws ChatError "validation" with the call and the place in its text
 */
export function parseArguments(call: Pick<ToolCallPart, "id" | "name" | "arguments">): Fields {
  const where = `the arguments of ${call.name}${call.id === "" ? "" : ` (${call.id})`}`;
  if (call.arguments.trim() === "") return {};
  let value: unknown;
  try {
    value = parsePythonJson(call.arguments, { strict: false });
  } catch (error) {
    const reason = describeThrown(error);
    throw chatError("validation", `${where} are not JSON: ${reason}`, { where, cause: error });
  }
  if (isFields(value)) return value;
  throw chatError("validation", `${where} are not an object: ${showValue(value)}`, { where });
}
