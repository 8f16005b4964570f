import { expectClient, expectList } from "../check-options.ts";
import { requestObject } from "../check-request.ts";
import type { ChatClient } from "../chat-client.ts";
import { asChatError, cancelled, invalid, isChatError } from "../errors.ts";
import { type Fields, isFields } from "../../core/base/lenient.ts";
import { showValue } from "../json/plain.ts";
import { schemaFaults } from "../json/schema-check.ts";
import { toolCallsOf, type Message, type ToolCallPart, type ToolResultPart } from "../message.ts";
import type { ChatReply } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { parseArguments, type ToolDefinition } from "../tool.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface RunnableTool extends ToolDefinition {
  /** Runs the tool with arguments that match `parameters`. An exception is sent to the model as the tool's error. */
  run(
    args: Fields,
    context: { readonly callId: string; readonly signal: AbortSignal },
  ): ToolResultPart["content"] | Promise<ToolResultPart["content"]>;
}

export interface ToolStep {
  readonly reply: ChatReply;
  /** In the order of the calls, independent of the order of completion. */
  readonly results: readonly ToolResultPart[];
  readonly messages: readonly Message[];
}

export interface RunToolsOptions {
  /** Maximum number of requests. Default 10. */
  readonly maxSteps?: number;
  readonly onStep?: (step: ToolStep) => void | Promise<void>;
}

export interface ToolRun extends ToolStep {
  readonly steps: readonly ToolStep[];
  /** Whether the model stopped calling tools; false if `maxSteps` was reached. */
  readonly done: boolean;
}

/**
 * Requests one answer and runs its tool calls in parallel. Unknown tools, invalid arguments, and exceptions become
 * results with `isError` for the model.
 * @throws ChatError of the client, or "cancelled"
 */
export async function stepWithTools(
  client: ChatClient,
  request: Omit<ChatRequest, "tools">,
  tools: readonly RunnableTool[],
): Promise<ToolStep> {
  expectClient(client);
  requestObject(request);
  expectList(tools, "tools");
  const { signal = new AbortController().signal } = request;
  const definitions = tools.length > 0 ? { tools: tools.map(definitionOf) } : {};
  const reply = await client.complete({ ...request, ...definitions });
  const calls = toolCallsOf(reply.message);
  const results = await unlessAborted(
    Promise.all(calls.map((call) => resultOf(call, tools, signal))),
    signal,
  );
  const answers = results.map((result): Message => ({ role: "tool", parts: [result] }));
  const answer = reply.message.parts.length > 0 ? [reply.message] : [];
  return Object.freeze({ reply, results, messages: [...request.messages, ...answer, ...answers] });
}

/** Repeats steps until the model stops calling tools. A tool choice other than "auto" and "none" applies to the first step. */
export async function runTools(
  client: ChatClient,
  request: Omit<ChatRequest, "tools">,
  tools: readonly RunnableTool[],
  options: RunToolsOptions = {},
): Promise<ToolRun> {
  const { maxSteps = 10, onStep } = options;
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 1)
    throw invalid("maxSteps", `a whole number from 1 on is expected, got ${maxSteps}`);
  const steps: ToolStep[] = [];
  let next = request;
  for (;;) {
    const step = await stepWithTools(client, next, tools);
    steps.push(step);
    await onStep?.(step);
    const done = step.results.length === 0;
    if (done || steps.length >= maxSteps) return Object.freeze({ ...step, steps, done });
    const { toolChoice, ...rest } = request;
    next = { ...rest, ...(toolChoice === "none" && { toolChoice }), messages: step.messages };
  }
}

function definitionOf({ name, description, parameters, strict }: RunnableTool): ToolDefinition {
  return pickDefined({ name, description, parameters, strict });
}

async function resultOf(
  call: ToolCallPart,
  tools: readonly RunnableTool[],
  signal: AbortSignal,
): Promise<ToolResultPart> {
  const base = { type: "tool-result", callId: call.id, name: call.name } as const;
  const failResult = (content: string): ToolResultPart => ({ ...base, content, isError: true });
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return failResult(`Tool \`${call.name}\` not found`);
  try {
    const args = parseArguments(call);
    const faults = schemaFaults(tool.parameters ?? {}, args);
    if (faults.length > 0) return failResult(`The arguments do not match the schema: ${faults.join("; ")}`);
    const content: unknown = await tool.run(args, { callId: call.id, signal });
    if (isContent(content)) return { ...base, content };
    return failResult(`The tool returned neither text nor parts: ${showValue(content)}`);
  } catch (error) {
    if (signal.aborted) throw cancelled(signal.reason);
    return failResult(
      isChatError(error) ? error.message : `Error running tool: ${asChatError(error).message}`,
    );
  }
}

function isContent(value: unknown): value is ToolResultPart["content"] {
  return typeof value === "string" || (Array.isArray(value) && value.every(isFields));
}

/** Rejects as soon as the signal aborts, even if a tool ignores the signal. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const leave = (): void => reject(cancelled(signal.reason));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { signal: stop.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}
