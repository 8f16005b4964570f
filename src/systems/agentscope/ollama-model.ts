import { loadPeer } from "../../client/check-options.ts";
import { readCount, type Fields } from "../../core/base/lenient.ts";
import { OLLAMA_FAMILY } from "../../core/protocol/ollama/chat.ts";
import type { OllamaConnection } from "./sdk/ollama.ts";
import { writePythonAsciiJson } from "../../client/python/write.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import type { ProviderRules } from "./provider-reader.ts";
import { parseObject } from "./reading.ts";
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
    const { createOllamaSdk: ollamaSdk } = await loadPeer(() => import("./sdk/ollama.ts"));
    const { options, ...rest } = args;
    return ollamaSdk(connection, signal).chat({ ...rest, ...(options !== null && { options }) });
  };
}

/** Reads Ollama's answers. In a stream, usage is zero before the last chunk. */
export const ollamaReader: ProviderRules = {
  family: OLLAMA_FAMILY,
  rawAtEnd: true,
  prepare: (answer) => ({ ...answer, done: true }),
  start: { usage: { input: 0, output: 0 } },
  countsOf(counts) {
    const input = readCount(counts["prompt_eval_count"]);
    const output = readCount(counts["eval_count"]);
    return input === undefined || output === undefined ? undefined : { input, output, rawAtEnd: counts };
  },
  /** The ID is made from the call's number in the answer and its name, because Ollama sends none. */
  callOf({ name = "", arguments: text = "" }, earlier, log) {
    const input = parseObject(text, log);
    const isObject = text === JSON.stringify(input);
    const raw_input = isObject ? writePythonAsciiJson(input, "arguments") : text;
    return { type: "tool_use", id: `${earlier}_${name}`, name, input, raw_input };
  },
  emitsEmpty: (chunk) => chunk["done"] === true,
};
