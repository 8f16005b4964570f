import { loadOnce } from "./sdk/connection.ts";
import { typeName } from "../../client/json/plain.ts";
import { MESSAGES_FAMILY } from "../../core/protocol/anthropic/reply.ts";
import { readCount, readFields, isFields, readText, type Fields } from "../../core/base/lenient.ts";
import type { AnthropicConnection } from "./sdk/anthropic.ts";
import { convertAnthropicToolChoice, STRUCTURED_TOOL } from "./tool-choice.ts";
import { chatError } from "../../client/errors.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import type { ProviderRules } from "./provider-reader.ts";
import { createToolFromModel, warnOfDroppedTools } from "./structured.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface AnthropicModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** Default 2048. */
  readonly maxTokens?: number;
  /** E.g. `{ type: "enabled", budget_tokens: 1024 }`. */
  readonly thinking?: Fields | null;
  readonly streamToolParsing?: boolean;
  readonly clientKwargs?: Fields | null;
  readonly connection?: AnthropicConnection;
  readonly transport?: ChatTransport;
}

export class AnthropicChatModel extends ChatModelBase {
  readonly #options: AnthropicModelOptions;
  readonly #transport: ChatTransport;
  readonly #maxTokens: number;

  constructor(options: AnthropicModelOptions) {
    super(options, true);
    this.#options = options;
    this.#maxTokens = options.maxTokens ?? 2048;
    const { apiKey, clientKwargs, connection, transport } = options;
    this.#transport =
      transport ??
      sdkTransport({
        ...connection,
        ...(apiKey && { apiKey }),
        ...(clientKwargs && { clientOptions: this.expectClientOptions(clientKwargs) }),
      });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call, { mayBeEmpty: true, limits: { max_tokens: this.#maxTokens } });
    const args = this.#arguments(messages, call);
    const reading = { parseTools: this.#options.streamToolParsing, structured: "tool" } as const;
    return this.answer(anthropicReader, call, reading, () => this.#transport(args, call.signal));
  }

  #arguments(messages: unknown, call: ModelCall): Fields {
    const { thinking } = this.#options;
    const { system, rest } = withoutSystem(messages);
    const given: Fields = { ...this.generateKwargs, ...call.generateKwargs };
    return {
      model: this.modelName,
      max_tokens: this.#maxTokens,
      stream: this.stream,
      ...given,
      ...(thinking && !("thinking" in given) && { thinking }),
      ...this.#tools(call),
      ...pickDefined({ system }),
      messages: rest,
    };
  }

  #tools(call: ModelCall): Fields {
    if (call.structuredModel) {
      warnOfDroppedTools(call, this.log);
      const tools = [anthropicTool(createToolFromModel(call.structuredModel))];
      return { tools, tool_choice: convertAnthropicToolChoice({ tool: STRUCTURED_TOOL }) };
    }
    const choice = this.toolChoice(call);
    const tools = call.tools ?? [];
    return {
      ...(tools.length > 0 && { tools: tools.map(anthropicTool) }),
      ...(choice !== undefined && { tool_choice: convertAnthropicToolChoice(choice) }),
    };
  }
}

/** Separates a first system message from the others; later system messages stay in place. */
function withoutSystem(messages: unknown): { readonly system?: unknown; readonly rest: readonly unknown[] } {
  if (!Array.isArray(messages) || messages.length === 0) {
    const got = Array.isArray(messages) ? "an empty one" : typeName(messages ?? null);
    throw chatError(
      "validation",
      `Anthropic \`messages\` must be a list with at least one message, got ${got}.`,
      { where: "messages", hint: "Give the conversation so far, the user's last message included." },
    );
  }
  const list: readonly unknown[] = messages;
  const [first, ...rest] = list;
  if (!isFields(first) || first["role"] !== "system") return { rest: list };
  return { system: first["content"], rest };
}

function anthropicTool(tool: unknown): Fields {
  const described = readFields(tool)["function"];
  if (!isFields(described)) {
    const message = `Invalid schema: ${JSON.stringify(tool)}, expect key 'function'.`;
    throw chatError("validation", message, { where: "tools" });
  }
  return {
    name: described["name"],
    description: described["description"] ?? "",
    input_schema: described["parameters"] ?? {},
  };
}

/** Loads the SDK with the first call, so that a model does not need the SDKs of other providers. */
function sdkTransport(connection: AnthropicConnection): ChatTransport {
  const sdk = loadOnce(
    connection.client,
    () => import("./sdk/anthropic.ts"),
    (loaded) => loaded.createAnthropicSdk(connection),
  );
  return async (args, signal) => (await sdk()).messages.create(args, pickDefined({ signal }));
}

/**
 * Reads messages. A stream emits nothing before the usage is known, and nothing for a signature. The input's count at the end
 * replaces that of the start only if it is larger.
 */
export const anthropicReader: ProviderRules = {
  family: MESSAGES_FAMILY,
  start: { signature: "" },
  countsOf: (usage, before) => ({
    input: Math.max(before?.input ?? 0, readCount(usage["input_tokens"]) ?? 0),
    output: readCount(usage["output_tokens"]) ?? 0,
    rawAtEnd: usage,
  }),
  emits(state, { index, content_block: block, delta }) {
    const type = readText(readFields(delta)["type"]) ?? readText(readFields(block)["type"]);
    const isCall = type === "tool_use" || (type === "input_json_delta" && state.slots.has(index));
    const isChange = isCall || type === "text_delta" || type === "thinking_delta";
    return isChange && state.usage !== undefined ? undefined : "silent";
  },
};
