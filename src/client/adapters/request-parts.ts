import { jsonSchemaOf } from "../structured-output.ts";
import { type Fields, readFields } from "../../core/base/lenient.ts";
import { type ChatError, invalid } from "../errors.ts";
import {
  toolCallsOf,
  type Extras,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../message.ts";
import type { ChatRequest, ChatSettings, OutputSchema, ThinkingEffort } from "../request.ts";
import type { ToolChoice, ToolDefinition } from "../tool.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

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

/** Returns the extras of a part or message for one provider. */
export function readExtras(family: string, { extras }: { readonly extras?: Extras }): Fields {
  return readFields(extras?.[family]);
}

/** Makes the error for an unsupported feature and its place in the request. */
export function createUnsupportedError(
  provider: string,
  where: string,
  what: string,
  hint?: string,
): ChatError {
  return invalid(where, `${provider} cannot ${what}`, hint);
}

/** A provider's names of the settings that it supports, in the order in which they are sent. */
export type SettingWords = Readonly<Partial<Record<keyof ChatSettings, string>>>;

/** Writes settings with a provider's names. @throws ChatError "validation" for an unsupported setting */
export function convertSettings(words: SettingWords, provider: string, settings: ChatSettings = {}): Fields {
  const given: Fields = { ...settings };
  const unknown = Object.keys(given).find(
    (name) => given[name] !== undefined && !Object.hasOwn(words, name) && !ELSEWHERE.has(name),
  );
  if (unknown !== undefined)
    throw createUnsupportedError(
      provider,
      `settings.${unknown}`,
      `take ${unknown}`,
      "Leave it out for this provider.",
    );
  return pickDefined(Object.fromEntries(Object.entries(words).map(([name, word]) => [word, given[name]])));
}

/** Settings that are written elsewhere: thinking by each provider, the others not in the body. */
const ELSEWHERE: ReadonlySet<string> = new Set(["thinking", "timeoutMs", "headers", "extra"]);

/** Merges consecutive turns of one role, because results of parallel calls have to be sent together. */
export function mergeTurns<T extends { readonly role: string; readonly blocks: readonly Fields[] }>(
  turns: readonly T[],
  together: (before: T, next: T) => boolean,
): readonly T[] {
  const merged: T[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before === undefined || before.role !== turn.role || !together(before, turn)) merged.push(turn);
    else merged[merged.length - 1] = { ...before, blocks: [...before.blocks, ...turn.blocks] };
  }
  return merged;
}

/** Name and description of the tool that a model is forced to call if its provider has no structured answers. */
export const STRUCTURED_TOOL = "generate_structured_output";
export const STRUCTURED_TASK = "Generate the required structured output with this function";

/**
 * Returns a request's tools and tool choice. A structured answer is a forced tool call, which excludes other tools.
 * @throws ChatError "validation" if the request has both
 */
export function chooseToolsOrAnswer(
  provider: string,
  { output, tools = [], toolChoice }: ChatRequest,
): { readonly given: readonly ToolDefinition[]; readonly choice: ToolChoice | undefined } {
  if (output === undefined) return { given: tools, choice: toolChoice };
  if (tools.length > 0 || (toolChoice !== undefined && toolChoice !== "auto"))
    throw createUnsupportedError(
      provider,
      tools.length > 0 ? "tools" : "toolChoice",
      "give a structured answer and call tools in one request: the answer is itself a forced tool call",
      "Ask for the structured answer in a separate request.",
    );
  const description = output.description ?? STRUCTURED_TASK;
  const parameters = readFields(convertOutputFormat(output)["schema"]);
  const given = [{ name: STRUCTURED_TOOL, description, parameters }];
  return { given, choice: { tool: STRUCTURED_TOOL } };
}

/** Thinking budgets in tokens by effort, for providers that take a budget. */
const BUDGETS: Readonly<Record<Exclude<ThinkingEffort, "off">, number>> = {
  low: 1024,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

export function readThinkingBudget(thinking: NonNullable<ChatSettings["thinking"]>): number {
  if (typeof thinking !== "string") return thinking.budgetTokens;
  return thinking === "off" ? 0 : BUDGETS[thinking];
}

/** Writes a tool for chat completions and DashScope. */
export function convertChatTool({ name, description, parameters, strict }: ToolDefinition): Fields {
  const described = {
    name,
    ...pickDefined({ description }),
    parameters: parameters ?? { type: "object", properties: {} },
    ...pickDefined({ strict }),
  };
  return { type: "function", function: described };
}

/** Writes a tool call for chat completions and DashScope. */
export function convertFunctionCall({ id, name, arguments: text }: CalledTool): Fields {
  return { id, type: "function", function: { name, arguments: text } };
}

interface CalledTool extends Pick<ToolCallPart, "name" | "arguments"> {
  readonly id: string | null;
}

/** Joins all thoughts. */
export function joinThoughts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
}

export function convertOutputFormat(output: OutputSchema): Fields {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(output);
  const { name = "output", description, strict } = output;
  return pickDefined({ name, schema, description, strict });
}

/** Returns the texts of a tool result, for providers that take only text. @throws ChatError "validation" for media */
export function convertResultTexts(
  content: ToolResultPart["content"],
  provider: string,
  where: string,
): string[] {
  if (typeof content === "string") return [content];
  return content.map((one) => {
    if (one.type === "text") return one.text;
    throw createUnsupportedError(provider, where, `take ${one.type} in a tool result, only text`);
  });
}

/** The place of a part, and further data for a mapper. */
export interface RequestPlace {
  readonly where: string;
}

/**
 * Writes a message as several wire messages, for providers in which tool results are separate messages. The results come
 * first, the other parts follow.
 */
export function withResultsFirst<P extends RequestPlace>(
  message: Message,
  at: P,
  resultOf: (part: ToolResultPart, at: P) => Fields,
  restOf: (parts: readonly Part[]) => Fields,
): Fields[] {
  const results = message.parts.flatMap((part, index) =>
    part.type === "tool-result" ? [resultOf(part, { ...at, where: `${at.where}.parts[${index}]` })] : [],
  );
  const others = message.parts.filter(({ type }) => type !== "tool-result");
  return others.length === 0 && results.length > 0 ? results : [...results, restOf(others)];
}

/** Returns the leading system messages. */
export function listLeadingSystem(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, end < 0 ? messages.length : end);
}

/** Maps the IDs of tool calls to tool names, for providers that require names in results. */
export function mapNamesOfCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]));
}
