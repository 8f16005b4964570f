import { loadPeer } from "../../client/check-options.ts";
import { readCount, readFields, readList, readText, type Fields } from "../../core/base/lenient.ts";
import type { OllamaConnection } from "../../client/adapters/ollama/sdk.ts";
import { writePythonAsciiJson } from "../../client/python/write.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import { parseObject, type Counts, type ProviderReader } from "./reading.ts";
import type { Block, ToolUseBlock } from "./response.ts";
import { getSchema } from "./structured.ts";

export interface OllamaModelOptions extends ModelOptions {
  readonly options?: Fields | null;
  /** Default "5m". */
  readonly keepAlive?: string | number;
  readonly enableThinking?: boolean | null;
  readonly host?: string | null;
  readonly connection?: OllamaConnection;
  readonly transport?: ChatTransport;
}

/** Models of Ollama. By default, answers are not streamed. */
export class OllamaChatModel extends ChatModelBase {
  readonly #options: OllamaModelOptions;
  readonly #transport: ChatTransport;

  constructor(options: OllamaModelOptions) {
    super(options, false);
    this.#options = options;
    const { host, connection, transport } = options;
    this.#transport = transport ?? sdkTransport({ ...connection, ...(host && { host }) });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call);
    const args = this.#arguments(messages, call);
    return this.answer(ollamaReader, call, { structured: "text" }, () => this.#transport(args, call.signal));
  }

  #arguments(messages: unknown, call: ModelCall): Fields {
    const { options = null, keepAlive = "5m", enableThinking } = this.#options;
    if (call.toolChoice) this.warn("Ollama does not support tool_choice yet, ignored.");
    const given: Fields = { ...this.generateKwargs, ...call.generateKwargs };
    const think = enableThinking !== undefined && enableThinking !== null && !("think" in given);
    return {
      model: this.modelName,
      messages,
      stream: this.stream,
      options,
      keep_alive: keepAlive,
      ...given,
      ...(think && { think: enableThinking }),
      ...(call.tools && call.tools.length > 0 && { tools: call.tools }),
      ...(call.structuredModel && { format: getSchema(call.structuredModel) }),
    };
  }
}

function sdkTransport(connection: OllamaConnection): ChatTransport {
  return async (args, signal) => {
    const { createOllamaSdk: ollamaSdk } = await loadPeer(
      () => import("../../client/adapters/ollama/sdk.ts"),
    );
    const { options, ...rest } = args;
    return ollamaSdk(connection, { signal }).chat({ ...rest, ...(options !== null && { options }) });
  };
}

/** Reads Ollama's answers. In a stream, usage is zero before the last chunk, and `raw_input` is set in the last response. */
export const ollamaReader: ProviderReader = {
  stream({ log }) {
    const calls: ToolUseBlock[] = [];
    return {
      start: { usage: { input: 0, output: 0 } },
      take(state, chunk) {
        const message = readFields(chunk["message"]);
        state.thinking += readText(message["thinking"]) ?? "";
        state.text += readText(message["content"]) ?? "";
        for (const call of readList(message["tool_calls"])) {
          const whole = toolCall(call, calls.length, log);
          const { raw_input: _atTheEnd, ...block } = whole;
          calls.push(whole);
          state.calls.push(block);
        }
        if (chunk["done"] === true) state.usage = countsOf(chunk) ?? state.usage;
      },
      emitsEmpty: (chunk) => chunk["done"] === true,
      end(state) {
        state.calls = calls;
      },
    };
  },
  whole(answer, { structured, log }) {
    const message = readFields(answer["message"]);
    const [thinking, text] = [readText(message["thinking"]), readText(message["content"])];
    const content: Block[] = thinking === undefined ? [] : [{ type: "thinking", thinking }];
    if (text !== undefined) content.push({ type: "text", text });
    for (const [index, call] of readList(message["tool_calls"]).entries())
      content.push(toolCall(call, index, log));
    const metadata = structured === undefined || !text ? undefined : parseObject(text, log);
    return { content, usage: countsOf(answer), metadata };
  },
};

/** Reads a call. Its ID is made from its number in the answer and its name, because Ollama sends none. */
function toolCall(call: unknown, index: number, log: Surroundings["log"]): ToolUseBlock {
  const { name: given, arguments: args } = readFields(readFields(call)["function"]);
  const name = readText(given) ?? "";
  const input = typeof args === "string" ? parseObject(args, log) : readFields(args);
  const raw_input = typeof args === "string" ? args : writePythonAsciiJson(readFields(args), "arguments");
  return { type: "tool_use", id: `${index}_${name}`, name, input, raw_input };
}

function countsOf(answer: Fields): Counts | undefined {
  const input = readCount(answer["prompt_eval_count"]);
  const output = readCount(answer["eval_count"]);
  if (input === undefined || output === undefined) return undefined;
  const { message: _said, ...rawAtEnd } = answer;
  return { input, output, rawAtEnd };
}
