import { fieldsOf, textIn } from "../../../core/protocol/reading/lenient.ts";
import { repairGrowingObject, repairObject, type JsonObject } from "../../json/repair-json.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { ToolUseBlock } from "./response.ts";

/** A tool call as its pieces come. */
export interface ToolCallSlot {
  id: string;
  name: string;
  /** The arguments so far; null until some came, where the provider parts that from none. */
  raw: string | null;
  /** What was last read of them. */
  input: JsonObject;
}

/** What a call, or a piece of one, says in OpenAI's form; an empty `text` is one. */
export interface CalledTool {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string | undefined;
}

export function calledOf(call: unknown): CalledTool {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: text } = fieldsOf(called);
  return { id: textIn(id), name: textIn(name), text: typeof text === "string" ? text : undefined };
}

/** The tool calls of a stream, in order of first appearance. */
export type ToolCallSlots = Map<unknown, ToolCallSlot>;

/** What the inputs in a stream's tool calls are: read anew, as they were read last, or empty until the end. */
export type InputReading = "read" | "kept" | "empty";

export function toolBlocks(
  slots: ToolCallSlots,
  inputs: InputReading,
  log: Surroundings["log"],
): readonly ToolUseBlock[] {
  return [...slots.values()].map((slot) => {
    if (inputs === "read") slot.input = growingInput(slot.raw, slot.input, log);
    const { id, name, raw } = slot;
    const input = inputs === "empty" ? {} : slot.input;
    return { type: "tool_use", id, name, input, raw_input: raw };
  });
}

/** The arguments of a whole tool call, repaired; says so where there is nothing to read. */
export function wholeInput(text: string, log: Surroundings["log"]): JsonObject {
  const { value, found } = repairObject(text);
  if (found === "nothing") warnOfNothing(text, log);
  return value;
}

function growingInput(text: string | null, before: JsonObject, log: Surroundings["log"]): JsonObject {
  if (!text) return {};
  const { value, found } = repairGrowingObject(text, before);
  if (found === "nothing") warnOfNothing(text, log);
  return value;
}

function warnOfNothing(text: string, log: Surroundings["log"]): void {
  const message = `Failed to load JSON dict from string: ${text}. Returning empty dict instead.`;
  log({ level: "warning", message });
}
