import { loadPeer } from "../../client/check-options.ts";
import { typeName } from "../../client/json/plain.ts";
import { readCount, readFields, isFields, readList, readText, type Fields } from "../../core/base/lenient.ts";
import type { AnthropicConnection } from "../../client/adapters/anthropic/sdk.ts";
import { convertAnthropicToolChoice, STRUCTURED_TOOL } from "../../client/adapters/request-parts.ts";
import { chatError } from "../../client/errors.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import {
  addArguments,
  readCalledInput,
  type AnswerSoFar,
  type Counts,
  type ProviderReader,
} from "./reading.ts";
import type { Block } from "./response.ts";
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
      warnOfDroppedTools(call, (entry) => this.surroundings.log(entry));
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
  return async (args, signal) => {
    const { createAnthropicSdk: anthropicSdk } = await loadPeer(
      () => import("../../client/adapters/anthropic/sdk.ts"),
    );
    return anthropicSdk(connection).messages.create(args, pickDefined({ signal }));
  };
}

/** Reads messages. A stream emits nothing before the usage is known. */
export const anthropicReader: ProviderReader = {
  stream: () => ({
    start: { signature: "" },
    take: (state, event) => (takeEvent(state, event) && state.usage !== undefined ? undefined : "silent"),
  }),
  /** Keeps blocks separate and in order; skips unknown types. */
  whole(message, reading) {
    const content = readList(message["content"]).flatMap((block) => blockOf(readFields(block)));
    const usage = isFields(message["usage"]) ? countsOf(message["usage"]) : undefined;
    return { content, id: readText(message["id"]), usage, metadata: readCalledInput(content, reading) };
  },
};

function blockOf(block: Fields): Block[] {
  const { type, text, thinking, id, name, input } = block;
  if (type === "text") return [{ type, text: readText(text) ?? "" }];
  if (type === "thinking")
    return [{ type, thinking: readText(thinking) ?? "", signature: readText(block["signature"]) ?? "" }];
  if (type !== "tool_use") return [];
  return [{ type, id: readText(id) ?? "", name: readText(name) ?? "", input: readFields(input) }];
}

/** Applies an event. Returns whether it changed the content. */
function takeEvent(state: AnswerSoFar, event: Fields): boolean {
  switch (event["type"]) {
    case "message_start": {
      const message = readFields(event["message"]);
      state.id = readText(message["id"]);
      state.usage = countsOf(readFields(message["usage"]));
      break;
    }
    case "content_block_start": {
      const { type, id, name } = readFields(event["content_block"]);
      if (type !== "tool_use") break;
      const slot = { id: readText(id) ?? "", name: readText(name) ?? "", raw: "" };
      state.slots.set(event["index"], slot);
      return true;
    }
    case "content_block_delta":
      return takeDelta(state, event);
    case "message_delta":
      takeUsage(state, event["usage"]);
  }
  return false;
}

function takeDelta(state: AnswerSoFar, event: Fields): boolean {
  const { type, text, thinking, signature, partial_json: json } = readFields(event["delta"]);
  if (type === "text_delta") state.text += readText(text) ?? "";
  if (type === "thinking_delta") state.thinking += readText(thinking) ?? "";
  if (type === "signature_delta") state.signature = readText(signature) ?? "";
  if (type !== "input_json_delta") return type === "text_delta" || type === "thinking_delta";
  const slot = state.slots.get(event["index"]);
  if (slot !== undefined) addArguments(slot, readText(json) ?? "");
  return slot !== undefined;
}

/** Applies the usage at the end: replaces the output's count, and the input's count if it is larger. */
function takeUsage(state: AnswerSoFar, given: unknown): void {
  if (state.usage === undefined || !isFields(given)) return;
  const { input, output, rawAtEnd } = state.usage;
  state.usage = {
    input: Math.max(input, readCount(given["input_tokens"]) ?? 0),
    output: readCount(given["output_tokens"]) ?? output,
    rawAtEnd: { ...readFields(rawAtEnd), ...given },
  };
}

function countsOf(usage: Fields): Counts {
  const input = readCount(usage["input_tokens"]) ?? 0;
  return { input, output: readCount(usage["output_tokens"]) ?? 0, rawAtEnd: usage };
}
