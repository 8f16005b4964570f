import { typeName } from "../../client/json/plain.ts";
import { readFields, isFields, readList, readText, type Fields } from "../../core/base/lenient.ts";
import { isChatError } from "../../client/errors.ts";
import { isStream } from "../../client/wire/completions.ts";
import { convertOpenaiToolChoice, STRUCTURED_TOOL } from "./tool-choice.ts";
import { openaiReader, type OpenaiTransport } from "./openai-wire.ts";
import { readStream, readWhole } from "./provider-reader.ts";
import type { Draft, Drafts, ReadOptions } from "./reading.ts";
import {
  checkAnswer,
  getModelName,
  createOutputSchema,
  getSchema,
  createToolFromModel,
  type StructuredModel,
} from "./structured.ts";

interface StructuredCall {
  readonly args: Fields;
  readonly model: StructuredModel;
  readonly signal: AbortSignal | undefined;
  readonly transport: OpenaiTransport;
  readonly reading: ReadOptions;
  /** Whether the provider has rejected `response_format`. */
  readonly fallback: boolean;
  readonly fallBack: (reason: string) => void;
}

/** Requests a structured answer by `response_format`, then by a tool call if that is rejected or the answer is invalid. */
export async function answerStructured(call: StructuredCall): Promise<Draft> {
  if (!call.fallback) {
    const tried = await tryFormat(call);
    if ("draft" in tried) return tried.draft;
    call.fallBack(tried.reason);
  }
  const args = toolArguments(call);
  try {
    return await request(args, call);
  } catch (error) {
    if (!refusesToolChoice(error)) throw error;
    warn(
      call,
      `tool_choice rejected by endpoint (${describeError(error)}); retrying with tool_choice='auto' for structured output fallback.`,
    );
    return request({ ...args, tool_choice: "auto" }, call);
  }
}

const request = async (args: Fields, { transport, signal, reading }: StructuredCall): Promise<Draft> =>
  readWhole(openaiReader, readFields(await transport.create(args, signal)), byTool(reading));

const byTool = (reading: ReadOptions): ReadOptions => ({ ...reading, structured: "first-tool" });

/** Streams a structured answer. After the first response, a rejection is thrown unchanged. */
export async function* streamStructured(call: StructuredCall): Drafts {
  let begun = false;
  if (!call.fallback) {
    try {
      const { stream: _always, ...args } = formatArguments(call);
      const chunks = await call.transport.stream(args, call.signal);
      const drafts = readStream(openaiReader, chunks, { ...call.reading, structured: "text" });
      return yield* watchFirst(drafts, () => (begun = true));
    } catch (error) {
      if (begun || !isBadRequest(error)) throw error;
      call.fallBack(`streaming ${describeError(error)}`);
    }
  }
  const args = { ...toolArguments(call), stream: true };
  try {
    return yield* watchFirst(streamByTool(args, call), () => (begun = true));
  } catch (error) {
    if (begun || !refusesToolChoice(error)) throw error;
    warn(
      call,
      `tool_choice rejected during streaming iteration (${describeError(error)}); retrying with tool_choice='auto' for structured output fallback.`,
    );
    return yield* streamByTool({ ...args, tool_choice: "auto" }, call);
  }
}

async function* streamByTool(args: Fields, call: StructuredCall): Drafts {
  const answer = await call.transport.create(args, call.signal);
  const reading = byTool(call.reading);
  if (isStream(answer)) return yield* readStream(openaiReader, answer, reading);
  const whole = readWhole(openaiReader, readFields(answer), reading);
  yield whole;
  return whole;
}

async function* watchFirst(drafts: Drafts, onFirst: () => void): Drafts {
  try {
    let step = await drafts.next();
    while (step.done !== true) {
      onFirst();
      yield step.value;
      step = await drafts.next();
    }
    return step.value;
  } finally {
    await drafts.return({ content: [] });
  }
}

type DraftResult = { readonly draft: Draft } | { readonly reason: string };

async function tryFormat(call: StructuredCall): Promise<DraftResult> {
  const { stream: _never, ...args } = formatArguments(call);
  try {
    const completion = await call.transport.parse(args, call.signal);
    const { parsed } = readFields(readFields(readList(readFields(completion)["choices"])[0])["message"]);
    if (!isFields(parsed))
      return {
        reason: `response_format returned a body that does not conform to the requested schema (parsed type: ${typeName(parsed ?? null)})`,
      };
    const metadata = await checkAnswer(call.model, parsed);
    return { draft: { ...readWhole(openaiReader, readFields(completion), call.reading), metadata } };
  } catch (error) {
    if (isBadRequest(error) || (isChatError(error) && error.kind === "validation"))
      return { reason: describeError(error) };
    throw error;
  }
}

function formatArguments({ args, model }: StructuredCall): Fields {
  const json_schema = {
    name: getModelName(model),
    schema: getSchema(model),
    strict: createOutputSchema(model).strict ?? false,
  };
  return { ...args, response_format: { type: "json_schema", json_schema } };
}

function toolArguments({ args, model }: StructuredCall): Fields {
  const { stream: _replaced, ...rest } = args;
  const tool_choice = convertOpenaiToolChoice({ tool: STRUCTURED_TOOL });
  return { ...rest, tools: [createToolFromModel(model)], tool_choice };
}

function isBadRequest(error: unknown): error is Error & { readonly status: 400 } {
  return error instanceof Error && "status" in error && error.status === 400;
}

/** Whether the provider rejected the tool choice. A rejection inside a stream has no status. */
function refusesToolChoice(error: unknown): error is Error {
  if (!(error instanceof Error) || !error.message.includes("tool_choice")) return false;
  return isBadRequest(error) || !("status" in error) || error.status === undefined;
}

function describeError(error: Error): string {
  return `${readText(error.constructor.name) ?? error.name}: ${error.message}`;
}

function warn({ reading }: StructuredCall, message: string): void {
  reading.log({ level: "warning", message });
}
