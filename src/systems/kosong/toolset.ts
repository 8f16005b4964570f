import { type Fields, isFields } from "../../core/base/lenient.ts";
import { copyFrozen, typeName } from "../../client/json/plain.ts";
import { parsePythonJson } from "../../client/json/python-json.ts";
import { listSchemaFaults } from "../../client/json/schema-check.ts";
import { findSchemaFault } from "./json-schema.ts";
import type { Tool } from "./chat-provider.ts";
import { validationError } from "./errors.ts";
import type { ContentPart, ToolCall } from "./parts.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

export interface ToolContext {
  readonly toolCallId: string;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

export interface CallableTool extends Tool {
  /** `args` is an array with one item per argument, or an object or other value as the only argument. */
  call(args: readonly unknown[], context: ToolContext): ToolReturnValue | Promise<ToolReturnValue>;
}

/** The tools of a step, and how their calls are handled. */
export interface Toolset {
  readonly tools: readonly Tool[];
  /** Returns a result or a promise of one. The failure of a tool is a result too. */
  handle(call: ToolCall, context?: Partial<ToolContext>): ToolResult | Promise<ToolResult>;
}

export interface SimpleToolset extends Toolset {
  add(tool: CallableTool): void;
  /** @throws ChatProviderError for an unknown tool. */
  remove(name: string): void;
}

/** Creates a tool. @throws ChatProviderError for an invalid name or schema. */
export function callableTool(tool: CallableTool): CallableTool {
  if (typeof tool.name !== "string" || tool.name === "") throw validationError("The tool has no name.");
  const fault = findSchemaFault(tool.parameters);
  if (fault !== undefined)
    throw validationError(`The parameters of ${tool.name} are no JSON Schema: ${fault}`);
  return Object.freeze({ ...tool, parameters: copyFrozen(tool.parameters), call: tool.call.bind(tool) });
}

/** A set of tools by name. A tool with a known name replaces the earlier one. */
export function simpleToolset(tools: readonly CallableTool[] = []): SimpleToolset {
  const byName = new Map<string, CallableTool>();
  const add = (tool: CallableTool): void => {
    const checked = callableTool(tool);
    byName.set(checked.name, checked);
  };
  tools.forEach(add);
  return {
    add,
    get tools() {
      return [...byName.values()].map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      }));
    },
    remove(name) {
      if (!byName.delete(name)) throw validationError(`Tool \`${name}\` not found in the toolset.`);
    },
    handle(call, context = {}) {
      const tool = byName.get(call.function.name);
      const result = (given: ToolReturnValue): ToolResult => ({ toolCallId: call.id, returnValue: given });
      if (tool === undefined) {
        const text = `Tool \`${call.function.name}\` not found`;
        return result(toolError({ message: text, brief: text }));
      }
      const { signal = new AbortController().signal } = context;
      return run(tool, call, { toolCallId: call.id, signal }).then(result);
    },
  };
}

async function run(tool: CallableTool, call: ToolCall, context: ToolContext): Promise<ToolReturnValue> {
  let value: unknown;
  try {
    value = parsePythonJson(call.function.arguments || "{}", { strict: false });
  } catch (error) {
    return toolError({
      message: `Error parsing JSON arguments: ${describeThrown(error)}`,
      brief: "Invalid arguments",
    });
  }
  const [fault] = listSchemaFaults(tool.parameters, value);
  if (fault !== undefined)
    return toolError({ message: `Error validating JSON arguments: ${fault}`, brief: "Invalid arguments" });
  let given: unknown;
  try {
    given = await tool.call(Array.isArray(value) ? value : [value], context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return toolError({
      message: `Error running tool: ${describeThrown(error)}`,
      brief: "Tool runtime error",
    });
  }
  if (isToolReturnValue(given)) return given;
  return toolError({ message: `Invalid return type: ${typeName(given)}`, brief: "Invalid return type" });
}

export interface DisplayBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Result of a tool, for the model and for the user interface. An error is a result as well. */
export interface ToolReturnValue {
  readonly isError: boolean;
  /** For the model. */
  readonly output: string | readonly ContentPart[];
  /** Explains the result to the model in a sentence. */
  readonly message: string;
  /** For the user. */
  readonly display: readonly DisplayBlock[];
  readonly extras: Fields | null;
}

/** A return value with the ID of its call. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly returnValue: ToolReturnValue;
}

const MADE_HERE = Symbol.for("llm-tapedeck.kosong-return-value");

function isList(output: ContentPart | readonly ContentPart[]): output is readonly ContentPart[] {
  return Array.isArray(output);
}

export function toolOk(
  output: string | ContentPart | readonly ContentPart[],
  { message = "", brief = "" }: { readonly message?: string; readonly brief?: string } = {},
): ToolReturnValue {
  const parts = typeof output === "string" ? output : isList(output) ? [...output] : [output];
  return makeReturnValue(false, { output: parts, message, brief });
}

export function toolError(given: {
  readonly message: string;
  readonly brief: string;
  readonly output?: string | readonly ContentPart[];
}): ToolReturnValue {
  return makeReturnValue(true, { output: "", ...given });
}

/** Whether a value was made by `toolOk` or `toolError`. */
export function isToolReturnValue(value: unknown): value is ToolReturnValue {
  return isFields(value) && MADE_HERE in value;
}

export function dumpToolResult(given: ToolResult): Readonly<Record<string, unknown>> {
  const { toolCallId, returnValue: value } = given;
  const { isError, output, message, display, extras } = value;
  return { tool_call_id: toolCallId, return_value: { is_error: isError, output, message, display, extras } };
}

function makeReturnValue(
  isError: boolean,
  { output, message, brief }: { output: string | readonly ContentPart[]; message: string; brief: string },
): ToolReturnValue {
  const display = brief === "" ? [] : [{ type: "brief", text: brief }];
  const value = { isError, output, message, display, extras: null };
  // Not enumerable, so that JSON copies and comparisons do not include it.
  return Object.freeze(Object.defineProperty(value, MADE_HERE, { value: true }));
}
