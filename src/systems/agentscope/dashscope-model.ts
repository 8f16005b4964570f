import {
  readCount,
  readFields,
  isFields,
  tryParsePlainJson,
  readList,
  readText,
  type Fields,
  readString,
} from "../../core/base/lenient.ts";
import { type DashscopeCall, type DashscopeConnection, sendDashscope } from "./sdk/dashscope.ts";
import { convertOpenaiToolChoice, STRUCTURED_TOOL } from "./tool-choice.ts";
import { DASHSCOPE_FAMILY } from "../../core/protocol/dashscope/reply.ts";
import { chatError, statusError } from "../../client/errors.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
  checkToolChoice,
  warnOfDeprecation,
} from "./model-base.ts";
import type { ProviderRules } from "./provider-reader.ts";
import { addArguments, type AnswerSoFar, readCalled } from "./reading.ts";
import { createToolFromModel, warnOfDroppedTools } from "./structured.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { readEnvironmentVariables } from "../../client/environment.ts";

/** DashScope's two endpoints. Each request contains the key. */
export interface DashscopeTransport {
  generation: ChatTransport;
  multimodal: ChatTransport;
}

export interface DashscopeModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** True forces streaming. */
  readonly enableThinking?: boolean | null;
  /** Whether to use the multimodal endpoint. Default: by the model's name. */
  readonly multimodality?: boolean | null;
  readonly streamToolParsing?: boolean;
  /** Address of the API, including `/api/v1`. */
  readonly baseHttpApiUrl?: string | null;
  /** Value of DASHSCOPE_API_HEADERS, for tests. */
  readonly headersFromEnvironment?: string | undefined;
  readonly connection?: DashscopeConnection;
  readonly transport?: DashscopeTransport;
}

export class DashScopeChatModel extends ChatModelBase {
  readonly #options: DashscopeModelOptions;
  readonly #transport: DashscopeTransport;

  constructor(options: DashscopeModelOptions) {
    const { enableThinking, stream } = readFields(options);
    const forced = enableThinking === true && stream === false;
    super(forced ? { ...options, stream: true } : options, true);
    this.#options = options;
    if (forced)
      this.log({
        level: "info",
        message: "In DashScope API, `stream` must be True when `enable_thinking` is True. ",
      });
    const { connection, baseHttpApiUrl, transport } = options;
    this.#transport =
      transport ??
      sdkTransport({
        ...connection,
        ...(baseHttpApiUrl && { baseURL: baseHttpApiUrl }),
        headers: { ...this.#environmentHeaders(), ...connection?.headers },
      });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call);
    const args = this.#arguments(messages, call);
    const send = this.#isMultimodal() ? this.#transport.multimodal : this.#transport.generation;
    const reading = { parseTools: this.#options.streamToolParsing, structured: "tool" } as const;
    return this.answer(dashscopeReader, call, reading, () => send(args, call.signal));
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
      warnOfDroppedTools(call, this.log);
      const tools = [createToolFromModel(call.structuredModel)];
      return { tools, tool_choice: convertOpenaiToolChoice({ tool: STRUCTURED_TOOL }) };
    }
    const tools = call.tools ?? [];
    for (const [index, tool] of tools.entries()) checkTool(tool, index);
    const choice = this.#choice(call);
    return { ...(tools.length > 0 && { tools }), ...pickDefined({ tool_choice: choice }) };
  }

  #choice({ toolChoice, tools }: ModelCall): unknown {
    if (toolChoice === undefined || toolChoice === null || toolChoice === "") return undefined;
    if (toolChoice !== "any" && toolChoice !== "required")
      return convertOpenaiToolChoice(checkToolChoice(toolChoice, tools));
    const message = `'${toolChoice}' is not supported by DashScope API. It will be converted to 'auto'.`;
    warnOfDeprecation(this.log, message);
    return "auto";
  }

  #isMultimodal(): boolean {
    const { multimodality } = this.#options;
    return multimodality ?? (this.modelName.startsWith("qvq") || this.modelName.includes("-vl"));
  }

  #environmentHeaders(): Readonly<Record<string, string>> | undefined {
    const { headersFromEnvironment = readEnvironmentVariables()["DASHSCOPE_API_HEADERS"] } = this.#options;
    if (!headersFromEnvironment) return undefined;
    const headers = tryParsePlainJson(headersFromEnvironment);
    if (isFields(headers))
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.warn("DASHSCOPE_API_HEADERS is not a JSON object. It will be ignored.");
    return undefined;
  }
}

function checkTool(tool: unknown, index: number): void {
  if (isFields(tool) && tool["type"] === "function" && "function" in tool) return;
  const message = `Each schema must be a dict with 'type' as 'function' and 'function' key, got ${JSON.stringify(tool)}`;
  throw chatError("validation", message, { where: `tools[${index}]` });
}

function sdkTransport(connection: DashscopeConnection): DashscopeTransport {
  const via =
    (endpoint: DashscopeCall["endpoint"]): ChatTransport =>
    (args, signal) => {
      const { api_key: apiKey, model, messages, stream, ...parameters } = args;
      const call = { model: String(model), messages, parameters, stream: stream === true };
      return sendDashscope(connection, { endpoint, ...call, apiKey: readString(apiKey) }, signal);
    };
  return { generation: via("generation"), multimodal: via("multimodal") };
}

/** Reads answers of DashScope's native API. @throws ChatError "status" if an answer or a chunk reports a failure */
export const dashscopeReader: ProviderRules = {
  family: DASHSCOPE_FAMILY,
  saysAll: true,
  /** Each text of a list is a block, even an empty one; a single empty text is none. */
  readBlocks(answer) {
    const { content, reasoning_content: own } = answerMessage(answer);
    const thinking = readText(own);
    const texts = Array.isArray(content)
      ? content.map((item: unknown) => readString(readFields(item)["text"]))
      : [readText(content)];
    return [
      ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
      ...texts.flatMap((text) => (text === undefined ? [] : [{ type: "text" as const, text }])),
    ];
  },
  countsOf: (usage) => ({
    input: readCount(usage["input_tokens"]) ?? 0,
    output: readCount(usage["output_tokens"]) ?? 0,
    raw: usage,
  }),
  /** The family's events contain calls only at the end, because their IDs and names can arrive in pieces. */
  more(state, chunk) {
    for (const piece of readList(answerMessage(chunk)["tool_calls"]))
      takeCall(state.slots, readFields(piece));
  },
  expectAnswer: throwIfFailed,
};

function throwIfFailed(answer: Fields, isStreamed: boolean): void {
  const status = answer["status_code"];
  if (status === 200) return;
  const message = `${isStreamed ? "Failed to get response from _ API: " : ""}${JSON.stringify(answer)}`;
  const requestId = readText(answer["request_id"]);
  const details = { provider: "dashscope", ...pickDefined({ requestId }) };
  throw typeof status === "number"
    ? statusError(status, message, details)
    : chatError("status", message, details);
}

function answerMessage(answer: Fields): Fields {
  const [choice] = readList(readFields(answer["output"])["choices"]);
  return readFields(readFields(choice)["message"]);
}

/** Appends a piece of a call. IDs and names can arrive in pieces; a repeated ID is not appended. */
function takeCall(slots: AnswerSoFar["slots"], piece: Fields): void {
  const index = piece["index"] ?? 0;
  const { id = "", name = "", text } = readCalled(piece);
  const slot = slots.get(index);
  if (slot === undefined) {
    slots.set(index, { id, name, raw: text ?? null });
    return;
  }
  if (id !== slot.id) slot.id += id;
  slot.name += name;
  if (text !== undefined) addArguments(slot, text);
}
