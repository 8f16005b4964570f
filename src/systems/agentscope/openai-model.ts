import { typeName } from "../../client/json/plain.ts";
import { type Fields, readFields, isFields, readText } from "../../core/base/lenient.ts";
import type { OpenaiConnection } from "./sdk/openai.ts";
import { convertOpenaiToolChoice } from "./tool-choice.ts";
import { chatError } from "../../client/errors.ts";
import { ChatModelBase, type ModelAnswer, type ModelCall, type ModelOptions } from "./model-base.ts";
import { openaiReader, type OpenaiTransport, createSdkTransport } from "./openai-wire.ts";
import { answerStructured, streamStructured } from "./openai-structured.ts";
import { type ReadOptions, createResponse, streamResponses } from "./reading.ts";
import { warnOfDroppedTools } from "./structured.ts";

export interface OpenaiModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  readonly organization?: string | null;
  readonly reasoningEffort?: string | null;
  /** If false, inputs of tool calls are empty until an additional response at the end. Default true. */
  readonly streamToolParsing?: boolean;
  /** "openai" or "azure". */
  readonly clientType?: string;
  /** Options of the JavaScript SDK; for Azure `endpoint`, `apiVersion`, and `deployment`. */
  readonly clientKwargs?: Fields | null;
  /** Old name of `clientKwargs`. */
  readonly clientArgs?: Fields | null;
  /** The engine's fetch, your own SDK client, or an address. */
  readonly connection?: OpenaiConnection;
  readonly transport?: OpenaiTransport;
  /** Called once if the provider does not support structured answers. */
  readonly onStructuredFallback?: (reason: string) => void;
}

const KNOWN = new Set(
  "modelName stream generateKwargs surroundings apiKey organization reasoningEffort streamToolParsing clientType clientKwargs clientArgs connection transport onStructuredFallback".split(
    " ",
  ),
);

export class OpenAIChatModel extends ChatModelBase {
  readonly #options: OpenaiModelOptions;
  readonly #transport: OpenaiTransport;
  #fallback = false;

  constructor(options: OpenaiModelOptions) {
    super(options, true);
    this.#options = options;
    const clientOptions = this.#clientOptions();
    const { clientType = "openai", apiKey, organization, connection, transport } = options;
    if (clientType !== "openai" && clientType !== "azure")
      throw chatError("validation", "Invalid client_type. Supported values: 'openai', 'azure'.");
    const unknown = Object.keys(options).filter((name) => !KNOWN.has(name));
    if (unknown.length > 0)
      this.warn(`Unknown keyword arguments: ${JSON.stringify(unknown)}. These will be ignored.`);
    this.#transport =
      transport ??
      createSdkTransport(clientType, {
        ...connection,
        ...(apiKey && { apiKey }),
        ...(organization && { organization }),
        clientOptions,
      });
  }

  /** Whether structured answers are requested as a tool call, because the provider rejected them. */
  get structuredFallback(): boolean {
    return this.#fallback;
  }

  /** Tries the provider's own structured answers again. */
  resetStructuredFallback(): void {
    this.#fallback = false;
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    const checked = checkedMessages(messages);
    this.expectSendable(checked, call);
    const omni = this.modelName.toLowerCase().includes("omni");
    const args = this.#arguments(omni ? withOmniAudio(checked) : checked, call);
    const { structuredModel: model, signal } = call;
    const reading = this.#reading(args);
    if (!model) return this.answer(openaiReader, call, reading, () => this.#transport.create(args, signal));
    const time = this.timeNow();
    const request = { args, model, signal, reading, transport: this.#transport };
    const fallback = { fallback: this.#fallback, fallBack: (reason: string) => this.#fallBack(reason) };
    return args["stream"] === true
      ? streamResponses(streamStructured({ ...request, ...fallback }), time)
      : createResponse(await answerStructured({ ...request, ...fallback }), time);
  }

  #arguments(messages: readonly unknown[], call: ModelCall): Fields {
    const { reasoningEffort } = this.#options;
    const args: Record<string, unknown> = {
      model: this.modelName,
      messages,
      stream: this.stream,
      ...this.generateKwargs,
      ...call.generateKwargs,
    };
    if (reasoningEffort && !("reasoning_effort" in args)) args["reasoning_effort"] = reasoningEffort;
    if (call.structuredModel) warnOfDroppedTools(call, this.log);
    else Object.assign(args, this.#tools(call));
    if (args["stream"] === true) args["stream_options"] = { include_usage: true };
    return args;
  }

  #tools(call: ModelCall): Fields {
    const choice = this.toolChoice(call);
    const some = call.tools !== null && call.tools !== undefined && call.tools.length > 0;
    return {
      ...(some && { tools: call.tools }),
      ...(choice !== undefined && { tool_choice: convertOpenaiToolChoice(choice) }),
    };
  }

  #fallBack(reason: string): void {
    this.#fallback = true;
    this.warn(
      `response_format structured output failed (${reason}), falling back to tool-call based structured output. Subsequent calls will use tool-call directly.`,
    );
    this.#options.onStructuredFallback?.(reason);
  }

  #reading(args: Fields): ReadOptions {
    return {
      parseTools: this.#options.streamToolParsing ?? true,
      audioFormat: readText(readFields(args["audio"])["format"]),
      log: this.log,
    };
  }

  #clientOptions(): Fields {
    const { clientArgs, clientKwargs } = this.#options;
    if (clientArgs && clientKwargs)
      throw chatError(
        "validation",
        "Cannot specify both 'client_args' and 'client_kwargs'. Please use only 'client_kwargs' (client_args is deprecated).",
      );
    if (clientArgs)
      this.warn(
        "The parameter 'client_args' is deprecated and will be removed in a future version. Please use 'client_kwargs' instead. Automatically converting 'client_args' to 'client_kwargs'.",
      );
    return this.expectClientOptions(clientKwargs ?? clientArgs ?? {});
  }
}

/** Checks messages. @throws ChatError "validation" unless they are a list of objects with a role and a content */
function checkedMessages(messages: unknown): readonly Fields[] {
  if (!Array.isArray(messages))
    throw chatError(
      "validation",
      `OpenAI \`messages\` field expected type \`list\`, got \`${typeName(messages ?? null)}\` instead.`,
      { where: "messages" },
    );
  return messages.map((message: unknown, index) => {
    if (isFields(message) && "role" in message && "content" in message) return message;
    throw chatError(
      "validation",
      "Each message in the 'messages' list must contain a 'role' and 'content' key for OpenAI API.",
      { where: `messages[${index}]` },
    );
  });
}

/** Copies messages for omni models, which need base64 audio as a data URL. */
function withOmniAudio(messages: readonly Fields[]): readonly Fields[] {
  return messages.map((message) => {
    const { content } = message;
    return Array.isArray(content) ? { ...message, content: content.map(omniPart) } : message;
  });
}

function omniPart(part: unknown): unknown {
  if (!isFields(part) || !isFields(part["input_audio"])) return part;
  const { data } = part["input_audio"];
  if (typeof data !== "string" || /^(?:https?:|data:)/.test(data)) return part;
  return { ...part, input_audio: { ...part["input_audio"], data: `data:;base64,${data}` } };
}
