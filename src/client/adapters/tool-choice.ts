import type { ToolChoice } from "../tool.ts";

/** As OpenAI's chat completions and DashScope want it. */
export function openaiToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } };
}

export function anthropicToolChoice(choice: ToolChoice): { readonly type: string; readonly name?: string } {
  if (typeof choice !== "string") return { type: "tool", name: choice.tool };
  return { type: choice === "required" ? "any" : choice };
}

/** In the words of the official SDK. */
export function geminiToolConfig(choice: ToolChoice): {
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
