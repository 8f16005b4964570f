import { typeName } from "../../json/plain.ts";
import { isFields } from "../../../core/protocol/reading/lenient.ts";
import { chatError } from "../../errors.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { ToolChoice } from "../../tool.ts";

const MODES = ["auto", "none", "required"] as const;

/**
 * What is left of a tool choice once it was checked: a mode, or the name of one of the tools.
 * @throws ChatError "validation" for what is no text, no mode and no tool.
 */
export function checkedToolChoice(choice: unknown, tools: unknown): ToolChoice {
  if (typeof choice !== "string")
    throw chatError("validation", `tool_choice must be str, got ${typeName(choice ?? null)}`, {
      where: "tool_choice",
    });
  const mode = MODES.find((one) => one === choice);
  if (mode !== undefined) return mode;
  const names = toolNames(tools);
  if (names.includes(choice)) return { tool: choice };
  const options = [...MODES, ...names].sort();
  throw chatError("validation", `Invalid tool_choice '${choice}'. Available options: ${options.join(", ")}`, {
    where: "tool_choice",
  });
}

/** The choice of a call: "any" means "required" and is warned about; an empty one is no choice. */
export function givenToolChoice(
  choice: unknown,
  tools: unknown,
  log: Surroundings["log"],
): ToolChoice | undefined {
  if (choice === undefined || choice === null || choice === "") return undefined;
  if (choice !== "any") return checkedToolChoice(choice, tools);
  warnOfDeprecation(log, '"any" is deprecated and will be removed in a future version.');
  return "required";
}

/** Tells of something that will not be there for ever; `step` is what Python calls the kind of a warning. */
export function warnOfDeprecation(log: Surroundings["log"], message: string): void {
  log({ level: "warning", step: "DeprecationWarning", message });
}

/** The names of those tools that have one, in order. */
export function toolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const described = isFields(tool) ? tool["function"] : undefined;
    const name = isFields(described) ? described["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
