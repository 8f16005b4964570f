import { jsonSchemaOf } from "../structured-output.ts";
import { type Fields, fieldsOf } from "../../core/base/lenient.ts";
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

/** What of a part's or message's extras is for one family of providers: the object under its name. */
export function extrasFor(family: string, { extras }: { readonly extras?: Extras }): Fields {
  return fieldsOf(extras?.[family]);
}

/** What a provider cannot do, and where it was asked for. */
export function cannot(provider: string, where: string, what: string, hint?: string): ChatError {
  return invalid(where, `${provider} cannot ${what}`, hint);
}

/** What a provider calls the settings that it knows, in the order in which they are sent. */
export type SettingWords = Readonly<Partial<Record<keyof ChatSettings, string>>>;

/** Settings in a provider's words. @throws ChatError "validation" for one that the provider has no word for. */
export function settingsIn(words: SettingWords, provider: string, settings: ChatSettings = {}): Fields {
  const given: Fields = { ...settings };
  const unknown = Object.keys(given).find(
    (name) => given[name] !== undefined && !Object.hasOwn(words, name) && !ELSEWHERE.has(name),
  );
  if (unknown !== undefined)
    throw cannot(provider, `settings.${unknown}`, `take ${unknown}`, "Leave it out for this provider.");
  return pickDefined(Object.fromEntries(Object.entries(words).map(([name, word]) => [word, given[name]])));
}

/** Thinking is worded by each provider in its own way; the others are no part of a request's body. */
const ELSEWHERE: ReadonlySet<string> = new Set(["thinking", "timeoutMs", "headers", "extra"]);

/** Turns of one role that follow each other as one: the results of parallel calls have to come back together. */
export function mergedTurns<T extends { readonly role: string; readonly blocks: readonly Fields[] }>(
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

/** The tool that a model is made to call where a provider gives no structured answers itself. */
export const STRUCTURED_TOOL = "generate_structured_output";
export const STRUCTURED_TASK = "Generate the required structured output with this function";

/**
 * A request's tools and its choice of them; the one that gives a structured answer is forced and leaves no room for
 * others. @throws ChatError "validation" where the request has some.
 */
export function toolsOrAnswer(
  provider: string,
  { output, tools = [], toolChoice }: ChatRequest,
): { readonly given: readonly ToolDefinition[]; readonly choice: ToolChoice | undefined } {
  if (output === undefined) return { given: tools, choice: toolChoice };
  if (tools.length > 0 || (toolChoice !== undefined && toolChoice !== "auto"))
    throw cannot(
      provider,
      tools.length > 0 ? "tools" : "toolChoice",
      "give a structured answer and call tools in one request: the answer is itself a forced tool call",
      "Ask for the structured answer in a request of its own.",
    );
  const description = output.description ?? STRUCTURED_TASK;
  const parameters = fieldsOf(formatOf(output)["schema"]);
  const given = [{ name: STRUCTURED_TOOL, description, parameters }];
  return { given, choice: { tool: STRUCTURED_TOOL } };
}

/** How many tokens an effort may spend, for providers that count instead of grading. */
const BUDGETS: Readonly<Record<Exclude<ThinkingEffort, "off">, number>> = {
  low: 1024,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

export function thinkingBudget(thinking: NonNullable<ChatSettings["thinking"]>): number {
  if (typeof thinking !== "string") return thinking.budgetTokens;
  return thinking === "off" ? 0 : BUDGETS[thinking];
}

/** A tool as chat completions and DashScope want it. */
export function chatTool({ name, description, parameters, strict }: ToolDefinition): Fields {
  const described = {
    name,
    ...pickDefined({ description }),
    parameters: parameters ?? { type: "object", properties: {} },
    ...pickDefined({ strict }),
  };
  return { type: "function", function: described };
}

/** A call as they want it. */
export function functionCall({ id, name, arguments: text }: CalledTool): Fields {
  return { id, type: "function", function: { name, arguments: text } };
}

interface CalledTool extends Pick<ToolCallPart, "name" | "arguments"> {
  readonly id: string | null;
}

/** All that was thought, in one. */
export function thoughtsIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
}

export function formatOf(output: OutputSchema): Fields {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(output);
  const { name = "output", description, strict } = output;
  return pickDefined({ name, schema, description, strict });
}

/** The texts of a tool's result, for providers that take nothing else. @throws ChatError "validation" for a medium. */
export function resultTexts(content: ToolResultPart["content"], provider: string, where: string): string[] {
  if (typeof content === "string") return [content];
  return content.map((one) => {
    if (one.type === "text") return one.text;
    throw cannot(provider, where, `take a tool's ${one.type}: only text may come back`);
  });
}

/** Where a part stands, and what a mapper wants to know besides. */
export interface RequestPlace {
  readonly where: string;
}

/**
 * A message as several of the wire, where tool results are messages of their own: they come first, and what is said
 * beside them follows.
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

/** The system messages at the beginning, and how many there are. */
export function leadingSystem(messages: readonly Message[]): readonly Message[] {
  const said = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, said < 0 ? messages.length : said);
}

/** The names of the tools by the ids of their calls, for providers whose results have to say them. */
export function namesOfCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]));
}
