import type { ToolChoice } from "../../client/tool.ts";

/** Writes a tool choice for OpenAI's chat completions and DashScope. */
export function convertOpenaiToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } };
}

export function convertAnthropicToolChoice(choice: ToolChoice): {
  readonly type: string;
  readonly name?: string;
} {
  if (typeof choice !== "string") return { type: "tool", name: choice.tool };
  return { type: choice === "required" ? "any" : choice };
}

/** Writes a tool choice for Gemini's SDK. */
export function convertGeminiToolConfig(choice: ToolChoice): {
  readonly functionCallingConfig: {
    readonly mode: string;
    readonly allowedFunctionNames?: readonly string[];
  };
} {
  if (typeof choice !== "string")
    return { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [choice.tool] } };
  const mode = choice === "required" ? "ANY" : choice.toUpperCase();
  return { functionCallingConfig: { mode } };
}

/** Name and description of the tool that a model is forced to call if its provider has no structured answers. */
export const STRUCTURED_TOOL = "generate_structured_output";
export const STRUCTURED_TASK = "Generate the required structured output with this function";
