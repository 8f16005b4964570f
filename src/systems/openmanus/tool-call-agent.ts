import { expectList, expectObject } from "../../client/check-options.ts";
import { asChatError } from "../../client/errors.ts";
import { type Fields, readFields, tryParsePlainJson, readString } from "../../core/base/lenient.ts";
import type { MessageInput } from "./options.ts";
import type { LLM } from "./llm.ts";
import { assistantMessage, type ManusToolCall, type ModelMessage, toolMessage } from "./messages.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

/** A tool that an agent may run. The model receives its result as text. */
export interface AgentTool {
  /** Definition in the request: `{type: "function", function: {name, …}}`. */
  readonly definition: Fields;
  /** `args` may have the tool's own type. Its values are not checked. */
  run(args: Fields): unknown;
}

export interface AgentOptions {
  readonly llm: Pick<LLM, "askTool">;
  readonly tools: readonly AgentTool[];
  readonly toolChoice?: "none" | "auto" | "required";
  readonly systemMsgs?: readonly MessageInput[];
  /** Maximum length of a result in characters. Default: no limit. */
  readonly maxObserve?: number;
}

export interface Thought {
  readonly added: readonly MessageInput[];
  readonly toolCalls: readonly ManusToolCall[];
  readonly acts: boolean;
  /** Whether the run is over because the token limit is reached. */
  readonly isFinished: boolean;
}

/** Requests the next step, as `think` of OpenManus's ToolCallAgent. @throws ChatError except for the token limit */
export async function think(messages: readonly MessageInput[], options: AgentOptions): Promise<Thought> {
  expectObject(options, "options");
  expectList(options.tools, "options.tools");
  const { llm, tools, toolChoice = "auto", systemMsgs } = options;
  let answer: ModelMessage | null;
  try {
    answer = await llm.askTool(messages, {
      tools: tools.map(({ definition }) => definition),
      toolChoice,
      ...(systemMsgs && { systemMsgs }),
    });
  } catch (thrown) {
    const error = asChatError(thrown);
    if (error.kind !== "token-limit") throw error;
    const text = `Maximum token limit reached, cannot continue execution: ${error.message}`;
    return { added: [assistantMessage(text)], toolCalls: [], acts: false, isFinished: true };
  }
  if (answer === null) {
    const text = "Error encountered while processing: No response received from the LLM";
    return { added: [assistantMessage(text)], toolCalls: [], acts: false, isFinished: false };
  }
  const content = readString(answer.content) ?? "";
  const { tool_calls: calls } = answer;
  const toolCalls = toolChoice === "none" || !Array.isArray(calls) ? [] : (calls as readonly ManusToolCall[]);
  if (toolChoice === "none") {
    const added = content === "" ? [] : [assistantMessage(content)];
    return { added, toolCalls, acts: content !== "", isFinished: false };
  }
  const message = assistantMessage(content, toolCalls.length > 0 ? toolCalls.map(readFields) : undefined);
  const acts = toolCalls.length > 0 || toolChoice === "required" || content !== "";
  return { added: [message], toolCalls, acts, isFinished: false };
}

/** Runs the tool calls of a thought in order and returns their messages. @throws Error if required calls are missing */
export async function act(thought: Thought, options: AgentOptions): Promise<readonly MessageInput[]> {
  if (thought.toolCalls.length === 0) {
    if (options.toolChoice === "required") throw new Error("Tool calls required but none provided");
    return [];
  }
  const results: MessageInput[] = [];
  for (const call of thought.toolCalls) {
    const { id, function: called } = readFields(call);
    const result = Array.from(await execute(readFields(called), options.tools));
    const shown = options.maxObserve === undefined ? result : result.slice(0, options.maxObserve);
    const name = readString(readFields(called)["name"]) ?? "";
    results.push(toolMessage(shown.join(""), { name, toolCallId: readString(id) ?? "" }));
  }
  return results;
}

async function execute(called: Fields, tools: readonly AgentTool[]): Promise<string> {
  const name = readString(called["name"]);
  if (name === undefined || name === "") return "Error: Invalid command format";
  const tool = tools.find(({ definition }) => readFields(definition["function"])["name"] === name);
  if (tool === undefined) return `Error: Unknown tool '${name}'`;
  const args = tryParsePlainJson(readString(called["arguments"]) || "{}");
  if (args === undefined) return `Error: Error parsing arguments for ${name}: Invalid JSON format`;
  try {
    const result: unknown = await tool.run(readFields(args));
    if (result === undefined || result === null || result === "")
      return `Cmd \`${name}\` completed with no output`;
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return `Observed output of cmd \`${name}\` executed:\n${text}`;
  } catch (error) {
    return `Error: ⚠️ Tool '${name}' encountered a problem: ${describeThrown(error)}`;
  }
}
