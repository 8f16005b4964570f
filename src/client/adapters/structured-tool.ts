import type { OutputSchema } from "../output-schema.ts";
import { formatOf } from "./openai/chat/request.ts";
import type { ToolDefinition } from "../tool.ts";
import { fieldsOf } from "../../core/protocol/reading/lenient.ts";
import type { ChatRequest } from "../request.ts";
import { cannot } from "./limits-of-provider.ts";

/** The tool that a model is made to call where a provider gives no structured answers itself. */
export const STRUCTURED_TOOL = "generate_structured_output";

export function structuredTool(output: OutputSchema): ToolDefinition {
  return {
    name: STRUCTURED_TOOL,
    description: output.description ?? "Generate the required structured output with this function",
    parameters: fieldsOf(formatOf(output)["schema"]),
  };
}

/** A forced tool leaves no room for others. @throws ChatError "validation" where the request has some. */
export function refuseOtherTools(name: string, { output, tools = [], toolChoice }: ChatRequest): void {
  if (output === undefined || (tools.length === 0 && (toolChoice === undefined || toolChoice === "auto")))
    return;
  throw cannot(
    name,
    tools.length > 0 ? "tools" : "toolChoice",
    "give a structured answer and call tools in one request: the answer is itself a forced tool call",
    "Ask for the structured answer in a request of its own.",
  );
}
