import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { OllamaConnection } from "../../adapters/ollama/connection.ts";
import { isStream, type ChatTransport } from "./chat-transport.ts";
import { responseOf, streamed, type CallTime } from "./drafts.ts";
import { ChatModelBase, type ModelAnswer, type ModelCall, type ModelOptions } from "./model-base.ts";
import { readOllama, readOllamaStream, type OllamaReading } from "./ollama-read.ts";
import { lazyOllamaTransport } from "./sdk-transports.ts";
import { schemaOf } from "./structured.ts";

export interface OllamaModelOptions extends ModelOptions {
  readonly options?: Fields | null;
  /** Default "5m". */
  readonly keepAlive?: string | number;
  readonly enableThinking?: boolean | null;
  readonly host?: string | null;
  readonly connection?: OllamaConnection;
  readonly transport?: ChatTransport;
}

/** Models that Ollama runs. Answers whole unless told to stream. */
export class OllamaChatModel extends ChatModelBase {
  readonly #options: OllamaModelOptions;
  readonly #transport: ChatTransport;

  constructor(options: OllamaModelOptions) {
    super(options, options.stream ?? false);
    this.#options = options;
    const { host, connection, transport } = options;
    this.#transport = transport ?? lazyOllamaTransport({ ...connection, ...(host && { host }) });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call);
    const args = this.#arguments(messages, call);
    const time: CallTime = { startedMs: this.surroundings.now(), surroundings: this.surroundings };
    const reading: OllamaReading = {
      structured: Boolean(call.structuredModel),
      log: (entry) => this.surroundings.log(entry),
    };
    const answer = await this.#transport(args, call.signal);
    if (isStream(answer)) return streamed(readOllamaStream(answer, reading), time);
    return responseOf(readOllama(answer, reading), time);
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
      ...(call.structuredModel && { format: schemaOf(call.structuredModel) }),
    };
  }
}
