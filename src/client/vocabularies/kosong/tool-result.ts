import { type Fields, isFields } from "../../../core/protocol/reading/lenient.ts";
import type { ContentPart } from "./parts.ts";

export interface DisplayBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a tool gives back to the model and to who watches. An error is a result as well. */
export interface ToolReturnValue {
  readonly isError: boolean;
  /** For the model. */
  readonly output: string | readonly ContentPart[];
  /** In words, for the model. */
  readonly message: string;
  /** For the user. */
  readonly display: readonly DisplayBlock[];
  readonly extras: Fields | null;
}

/** A return value by the call that it answers. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly returnValue: ToolReturnValue;
}

const MADE_HERE = Symbol.for("llm-tapedeck.kosong-return-value");

/** A good result; a brief that is not empty becomes one block of the display. */
export function toolOk(
  output: string | ContentPart | readonly ContentPart[],
  { message = "", brief = "" }: { readonly message?: string; readonly brief?: string } = {},
): ToolReturnValue {
  const parts = typeof output === "string" ? output : "type" in output ? [output] : [...output];
  return returnValue(false, { output: parts, message, brief });
}

/** A failed one. */
export function toolError(given: {
  readonly message: string;
  readonly brief: string;
  readonly output?: string | readonly ContentPart[];
}): ToolReturnValue {
  return returnValue(true, { output: "", ...given });
}

/** Whether a value was made by `toolOk` or `toolError`. */
export function isToolReturnValue(value: unknown): value is ToolReturnValue {
  return isFields(value) && MADE_HERE in value;
}

/** The written form. */
export function dumpToolResult({
  toolCallId,
  returnValue: value,
}: ToolResult): Readonly<Record<string, unknown>> {
  const { isError, output, message, display, extras } = value;
  return { tool_call_id: toolCallId, return_value: { is_error: isError, output, message, display, extras } };
}

function returnValue(
  isError: boolean,
  { output, message, brief }: { output: string | readonly ContentPart[]; message: string; brief: string },
): ToolReturnValue {
  const display = brief === "" ? [] : [{ type: "brief", text: brief }];
  const value = { isError, output, message, display, extras: null };
  // Not enumerable, so that it is in no copy as JSON and in no comparison.
  return Object.freeze(Object.defineProperty(value, MADE_HERE, { value: true }));
}
