import { isFields, jsonIn, type Fields } from "../../../core/protocol/reading/lenient.ts";
import type { DashscopeConnection } from "../../adapters/dashscope/connection.ts";
import { openaiToolChoice } from "../../adapters/tool-choice.ts";
import { chatError } from "../../errors.ts";
import { isStream, type ChatTransport } from "./chat-transport.ts";
import { readDashscope, readDashscopeStream, type DashscopeReading } from "./dashscope-read.ts";
import { responseOf, streamed, type CallTime } from "./drafts.ts";
import { ChatModelBase, type ModelAnswer, type ModelCall, type ModelOptions } from "./model-base.ts";
import { lazyDashscopeTransport } from "./sdk-transports.ts";
import { STRUCTURED_TOOL, toolFromModel, warnOfDroppedTools } from "./structured.ts";
import { checkedToolChoice, deprecated } from "./tool-choice.ts";

/** DashScope's two endpoints; the key goes with each request. */
export interface DashscopeTransport {
  generation: ChatTransport;
  multimodal: ChatTransport;
}

export interface DashscopeModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** On: the answer is streamed whatever else is said. */
  readonly enableThinking?: boolean | null;
  /** Which endpoint; by the model's name where it is not said. */
  readonly multimodality?: boolean | null;
  readonly streamToolParsing?: boolean;
  /** The API's address up to and with `/api/v1`. */
  readonly baseHttpApiUrl?: string | null;
  /** The environment variable DASHSCOPE_API_HEADERS; for tests. */
  readonly headersFromEnvironment?: string | undefined;
  readonly connection?: DashscopeConnection;
  readonly transport?: DashscopeTransport;
}

/** Alibaba's models over DashScope's own wire. */
export class DashScopeChatModel extends ChatModelBase {
  readonly #options: DashscopeModelOptions;
  readonly #transport: DashscopeTransport;

  constructor(options: DashscopeModelOptions) {
    const forced = options.enableThinking === true && options.stream === false;
    super(options, forced || (options.stream ?? true));
    this.#options = options;
    if (forced)
      this.surroundings.log({
        level: "info",
        message: "In DashScope API, `stream` must be True when `enable_thinking` is True. ",
      });
    const { connection, baseHttpApiUrl, transport } = options;
    this.#transport =
      transport ??
      lazyDashscopeTransport({
        ...connection,
        ...(baseHttpApiUrl && { baseURL: baseHttpApiUrl }),
        headers: { ...this.#environmentHeaders(), ...connection?.headers },
      });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call);
    const args = this.#arguments(messages, call);
    const time: CallTime = { startedMs: this.surroundings.now(), surroundings: this.surroundings };
    const reading: DashscopeReading = {
      parseTools: this.#options.streamToolParsing ?? true,
      structured: Boolean(call.structuredModel),
      log: (entry) => this.surroundings.log(entry),
    };
    const { generation, multimodal } = this.#transport;
    const answer = await (this.#isMultimodal() ? multimodal : generation)(args, call.signal);
    if (isStream(answer)) return streamed(readDashscopeStream(answer, reading), time);
    return responseOf(readDashscope(answer, reading), time);
  }

  #arguments(messages: unknown, call: ModelCall): Fields {
    const { apiKey, enableThinking } = this.#options;
    return {
      ...(apiKey && { api_key: apiKey }),
      messages,
      model: this.modelName,
      stream: this.stream,
      result_format: "message",
      incremental_output: this.stream,
      ...this.generateKwargs,
      ...call.generateKwargs,
      ...(enableThinking !== undefined && enableThinking !== null && { enable_thinking: enableThinking }),
      ...this.#tools(call),
    };
  }

  #tools(call: ModelCall): Fields {
    if (call.structuredModel) {
      warnOfDroppedTools(call, (entry) => this.surroundings.log(entry));
      const tools = [toolFromModel(call.structuredModel)];
      return { tools, tool_choice: openaiToolChoice({ tool: STRUCTURED_TOOL }) };
    }
    const tools = call.tools ?? [];
    for (const [index, tool] of tools.entries()) checkTool(tool, index);
    const choice = this.#choice(call);
    return { ...(tools.length > 0 && { tools }), ...(choice !== undefined && { tool_choice: choice }) };
  }

  #choice({ toolChoice, tools }: ModelCall): unknown {
    if (toolChoice === undefined || toolChoice === null || toolChoice === "") return undefined;
    if (toolChoice !== "any" && toolChoice !== "required")
      return openaiToolChoice(checkedToolChoice(toolChoice, tools));
    const message = `'${toolChoice}' is not supported by DashScope API. It will be converted to 'auto'.`;
    deprecated((entry) => this.surroundings.log(entry), message);
    return "auto";
  }

  #isMultimodal(): boolean {
    const { multimodality } = this.#options;
    return multimodality ?? (this.modelName.startsWith("qvq") || this.modelName.includes("-vl"));
  }

  #environmentHeaders(): Readonly<Record<string, string>> {
    const { headersFromEnvironment = process.env["DASHSCOPE_API_HEADERS"] } = this.#options;
    if (!headersFromEnvironment) return {};
    const headers = jsonIn(headersFromEnvironment);
    if (isFields(headers))
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.warn("DASHSCOPE_API_HEADERS is not a JSON object. It will be ignored.");
    return {};
  }
}

function checkTool(tool: unknown, index: number): void {
  if (isFields(tool) && tool["type"] === "function" && "function" in tool) return;
  const message = `Each schema must be a dict with 'type' as 'function' and 'function' key, got ${JSON.stringify(tool)}`;
  throw chatError("validation", message, { where: `tools[${index}]` });
}
