import { isFields, textIn, type Fields } from "../../../core/protocol/reading/lenient.ts";
import type { AnthropicConnection } from "../../adapters/anthropic/connection.ts";
import { anthropicToolChoice } from "../../adapters/tool-choice.ts";
import { chatError } from "../../errors.ts";
import { readAnthropic, readAnthropicStream, type AnthropicReading } from "./anthropic-read.ts";
import { isStream, type ChatTransport } from "./chat-transport.ts";
import { responseOf, streamed, type CallTime } from "./drafts.ts";
import { ChatModelBase, type ModelAnswer, type ModelCall, type ModelOptions } from "./model-base.ts";
import { lazyAnthropicTransport } from "./sdk-transports.ts";
import { STRUCTURED_TOOL, toolFromModel, warnOfDroppedTools } from "./structured.ts";
import { jsonTypeOf } from "./tool-choice.ts";

export interface AnthropicModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** Default 2048. */
  readonly maxTokens?: number;
  /** E.g. `{ type: "enabled", budget_tokens: 1024 }`. */
  readonly thinking?: Fields | null;
  readonly streamToolParsing?: boolean;
  /** Options of the SDK's client. */
  readonly clientKwargs?: Fields | null;
  readonly connection?: AnthropicConnection;
  readonly transport?: ChatTransport;
}

/** Anthropic's messages. */
export class AnthropicChatModel extends ChatModelBase {
  readonly #options: AnthropicModelOptions;
  readonly #transport: ChatTransport;

  constructor(options: AnthropicModelOptions) {
    super(options, options.stream ?? true);
    this.#options = options;
    const { apiKey, clientKwargs, connection, transport } = options;
    this.#transport =
      transport ??
      lazyAnthropicTransport({
        ...connection,
        ...(apiKey && { apiKey }),
        ...(clientKwargs && { clientOptions: clientKwargs }),
      });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    const { maxTokens: max_tokens = 2048 } = this.#options;
    this.expectSendable(messages, call, { mayBeEmpty: true, limits: { max_tokens } });
    const args = this.#arguments(messages, call);
    const time: CallTime = { startedMs: this.surroundings.now(), surroundings: this.surroundings };
    const reading: AnthropicReading = {
      parseTools: this.#options.streamToolParsing ?? true,
      structured: Boolean(call.structuredModel),
      log: (entry) => this.surroundings.log(entry),
    };
    const answer = await this.#transport(args, call.signal);
    if (isStream(answer)) return streamed(readAnthropicStream(answer, reading), time);
    return responseOf(readAnthropic(answer, reading), time);
  }

  #arguments(messages: unknown, call: ModelCall): Fields {
    const { maxTokens = 2048, thinking } = this.#options;
    const { system, rest } = withoutSystem(messages);
    const given: Fields = { ...this.generateKwargs, ...call.generateKwargs };
    return {
      model: this.modelName,
      max_tokens: maxTokens,
      stream: this.stream,
      ...given,
      ...(thinking && !("thinking" in given) && { thinking }),
      ...this.#tools(call),
      ...(system !== undefined && { system }),
      messages: rest,
    };
  }

  #tools(call: ModelCall): Fields {
    if (call.structuredModel) {
      warnOfDroppedTools(call, (entry) => this.surroundings.log(entry));
      const tools = [anthropicTool(toolFromModel(call.structuredModel))];
      return { tools, tool_choice: anthropicToolChoice({ tool: STRUCTURED_TOOL }) };
    }
    const choice = this.toolChoice(call);
    const tools = call.tools ?? [];
    return {
      ...(tools.length > 0 && { tools: tools.map(anthropicTool) }),
      ...(choice !== undefined && { tool_choice: anthropicToolChoice(choice) }),
    };
  }
}

/** The first message, where it is the system's, apart from the others; later system messages stay where they are. */
function withoutSystem(messages: unknown): { readonly system?: unknown; readonly rest: readonly unknown[] } {
  if (!Array.isArray(messages) || messages.length === 0) {
    const got = Array.isArray(messages) ? "an empty one" : jsonTypeOf(messages);
    throw chatError(
      "validation",
      `Anthropic \`messages\` must be a list with at least one message, got ${got}.`,
      {
        where: "messages",
        hint: "Give the conversation so far, the user's last message included.",
      },
    );
  }
  const list: readonly unknown[] = messages;
  const [first, ...rest] = list;
  if (!isFields(first) || first["role"] !== "system") return { rest: list };
  return { system: first["content"], rest };
}

function anthropicTool(tool: unknown): Fields {
  const described = isFields(tool) ? tool["function"] : undefined;
  if (!isFields(described)) throw badTool(tool, "function");
  const name = textIn(described["name"]);
  if (name === undefined) throw badTool(tool, "name");
  return {
    name,
    description: described["description"] ?? "",
    input_schema: described["parameters"] ?? {},
  };
}

function badTool(tool: unknown, key: string): Error {
  const message = `Invalid schema: ${JSON.stringify(tool)}, expect key '${key}'.`;
  return chatError("validation", message, { where: "tools" });
}
