import { invalid } from "./errors.ts";
import { isFields } from "../core/protocol/reading/lenient.ts";
import { notJson, shown, typeName } from "./json/plain.ts";
import { isSelfDescribing } from "./structured-output.ts";
import { TOOL_CHOICES, type ToolDefinition } from "./tool.ts";

/** @throws ChatError "validation" that names the tool by its place. */
export function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw invalid("tools", `a list is expected, got ${typeName(tools)}`);
  const names = new Set<unknown>();
  tools.forEach((tool: unknown, index) => {
    const where = `tools[${index}]`;
    if (!isFields(tool)) throw invalid(where, `a tool is expected, got ${typeName(tool)}`);
    const { name, description, parameters } = tool;
    if (typeof name !== "string" || name === "") throw invalid(`${where}.name`, "the tool has no name");
    if (names.has(name)) throw invalid(`${where}.name`, `another tool is called "${name}" too`);
    names.add(name);
    if (description !== undefined && typeof description !== "string")
      throw invalid(`${where}.description`, `text is expected, got ${typeName(description)}`);
    if (parameters !== undefined) checkPlainObject(parameters, `${where}.parameters`);
  });
}

/** @throws ChatError "validation" also for a tool that is not there. */
export function checkToolChoice(choice: unknown, tools: readonly ToolDefinition[]): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  const names = tools.map(({ name }) => name);
  const known = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  if (choice === "required") {
    if (names.length === 0) throw invalid("toolChoice", "a tool call is required, and there are no tools");
    return;
  }
  if (!isFields(choice) || typeof choice["tool"] !== "string")
    throw invalid("toolChoice", `${shown(choice)} is none of ${TOOL_CHOICES.join(", ")} and { tool: "…" }`);
  if (!names.includes(choice["tool"]))
    throw invalid("toolChoice.tool", `no tool is called "${choice["tool"]}"; ${known}`);
}

/** @throws ChatError "validation" for a schema that is none. */
export function checkOutput(output: unknown): void {
  if (output === undefined) return;
  if (!isFields(output))
    throw invalid("output", `an object with a schema is expected, got ${typeName(output)}`);
  const { schema, name } = output;
  if (name !== undefined && (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)))
    throw invalid("output.name", `${shown(name)} is no name: 1 to 64 letters, digits, "_" and "-"`);
  if (!isSelfDescribing(schema)) checkPlainObject(schema, "output.schema");
}

function checkPlainObject(value: unknown, where: string): void {
  if (!isFields(value)) throw invalid(where, `a JSON Schema is expected, got ${typeName(value)}`);
  const fault = notJson(value, where);
  if (fault !== undefined) throw invalid(where, `JSON cannot hold ${fault}`);
}
