import { expectObject, expectText } from "./check-options.ts";
import { type Fields, isFields } from "../core/base/lenient.ts";
import { chatError } from "./errors.ts";
import { showValue } from "./json/plain.ts";
import { parsePythonJson } from "./json/python-json.ts";
import type { ToolCallPart } from "./message.ts";
import { thrownText } from "../core/base/thrown-text.ts";

/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the model is told of a tool. How it runs is the caller's matter. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** An object schema; left out for a tool without parameters. */
  readonly parameters?: JsonSchema;
  /** Whether the provider is to hold the model to the schema, where it can. */
  readonly strict?: boolean;
}

/** Whether and which tool the model is to call; an object names the one that it must call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

export const TOOL_CHOICES: readonly Extract<ToolChoice, string>[] = ["auto", "none", "required"];

/**
 * The arguments of a tool call: a JSON object; none at all is an empty one. Raw control characters inside texts, which
 * models write, are taken.
 * @throws ChatError "validation" that names the call and the place in its text.
 */
export function parseArguments(call: Pick<ToolCallPart, "id" | "name" | "arguments">): Fields {
  expectObject(call, "call");
  expectText(call.arguments, "call.arguments");
  const where = `the arguments of ${call.name}${call.id === "" ? "" : ` (${call.id})`}`;
  if (call.arguments.trim() === "") return {};
  let value: unknown;
  try {
    value = parsePythonJson(call.arguments, { strict: false });
  } catch (error) {
    const reason = thrownText(error);
    throw chatError("validation", `${where} are no JSON: ${reason}`, { where, cause: error });
  }
  if (isFields(value)) return value;
  throw chatError("validation", `${where} are no object: ${showValue(value)}`, { where });
}
