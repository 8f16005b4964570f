import { isFields, type Fields } from "../../../core/protocol/reading/lenient.ts";
import type { GeminiConnection } from "../../adapters/gemini/connection.ts";
import { geminiToolConfig } from "../../adapters/tool-choice.ts";
import { inlineReferences } from "../../json/inline-references.ts";
import { isStream, type ChatTransport } from "./chat-transport.ts";
import { responseOf, streamed, type CallTime } from "./drafts.ts";
import { readGemini, readGeminiStream } from "./gemini-read.ts";
import { ChatModelBase, type ModelAnswer, type ModelCall, type ModelOptions } from "./model-base.ts";
import { lazyGeminiTransport } from "./sdk-transports.ts";
import { schemaOf, warnOfDroppedTools } from "./structured.ts";

/** Gemini's two methods, with arguments and answers in the words of the official SDK. */
export interface GeminiTransport {
  generateContent: ChatTransport;
  generateContentStream: ChatTransport;
}

export interface GeminiModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** E.g. `{ includeThoughts: true, thinkingBudget: 1024 }`. */
  readonly thinkingConfig?: Fields | null;
  /** Options of the SDK's client. */
  readonly clientKwargs?: Fields | null;
  readonly connection?: GeminiConnection;
  readonly transport?: GeminiTransport;
}

/** Google's Gemini. */
export class GeminiChatModel extends ChatModelBase {
  readonly #options: GeminiModelOptions;
  readonly #transport: GeminiTransport;

  constructor(options: GeminiModelOptions) {
    super(options, options.stream ?? true);
    this.#options = options;
    const { apiKey, clientKwargs, connection, transport } = options;
    this.#transport =
      transport ??
      lazyGeminiTransport({
        ...connection,
        ...(apiKey && { apiKey }),
        ...(clientKwargs && { clientOptions: clientKwargs }),
      });
  }

  override async call(messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> {
    this.expectSendable(messages, call);
    const args: Fields = { model: this.modelName, contents: messages, config: this.#config(call) };
    const time: CallTime = { startedMs: this.surroundings.now(), surroundings: this.surroundings };
    const structured = Boolean(call.structuredModel);
    const { generateContent, generateContentStream } = this.#transport;
    const answer = await (this.stream ? generateContentStream : generateContent)(args, call.signal);
    if (isStream(answer)) return streamed(readGeminiStream(answer, structured), time);
    return responseOf(readGemini(answer, structured), time);
  }

  #config(call: ModelCall): Fields {
    const { thinkingConfig = null } = this.#options;
    return { thinkingConfig, ...this.generateKwargs, ...call.generateKwargs, ...this.#tools(call) };
  }

  #tools(call: ModelCall): Fields {
    const onCircle = (name: string): void =>
      this.warn(`Circular reference detected for '${name}' in tool schema`);
    if (call.structuredModel) {
      warnOfDroppedTools(call, (entry) => this.surroundings.log(entry));
      const responseSchema = inlineReferences(schemaOf(call.structuredModel), onCircle);
      return { responseMimeType: "application/json", responseSchema };
    }
    const choice = this.toolChoice(call);
    const declarations = (call.tools ?? []).flatMap((tool) => declaration(tool, onCircle));
    return {
      ...(call.tools && call.tools.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
      ...(choice !== undefined && { toolConfig: geminiToolConfig(choice) }),
    };
  }
}

/** What has no function is passed over. */
function declaration(tool: unknown, onCircle: (name: string) => void): Fields[] {
  const described = isFields(tool) ? tool["function"] : undefined;
  if (!isFields(described)) return [];
  const { parameters, ...rest } = described;
  return [isFields(parameters) ? { ...rest, parameters: inlineReferences(parameters, onCircle) } : rest];
}
