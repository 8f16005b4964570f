import { loadOnce } from "./sdk/connection.ts";
import { readCount, type Fields, readFields, isFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { GEMINI_FAMILY } from "../../core/protocol/gemini/reply.ts";
import type { GeminiConnection } from "./sdk/gemini.ts";
import { convertGeminiToolConfig } from "./tool-choice.ts";
import { writePythonJson } from "../../client/python/write.ts";
import type { JsonSchema } from "../../client/tool.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import type { ProviderRules } from "./provider-reader.ts";
import { getSchema, warnOfDroppedTools } from "./structured.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** Gemini's two methods with arguments and answers of the official SDK. */
export interface GeminiTransport {
  generateContent: ChatTransport;
  generateContentStream: ChatTransport;
}

export interface GeminiModelOptions extends ModelOptions {
  readonly apiKey?: string | null;
  /** E.g. `{ includeThoughts: true, thinkingBudget: 1024 }`. */
  readonly thinkingConfig?: Fields | null;
  readonly clientKwargs?: Fields | null;
  readonly connection?: GeminiConnection;
  readonly transport?: GeminiTransport;
}

export class GeminiChatModel extends ChatModelBase {
  readonly #options: GeminiModelOptions;
  readonly #transport: GeminiTransport;

  constructor(options: GeminiModelOptions) {
    super(options, true);
    this.#options = options;
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
    this.expectSendable(messages, call);
    const args: Fields = { model: this.modelName, contents: messages, config: this.#config(call) };
    const send = this.stream ? this.#transport.generateContentStream : this.#transport.generateContent;
    return this.answer(geminiReader, call, { structured: "text" }, () => send(args, call.signal));
  }

  #config(call: ModelCall): Fields {
    const { thinkingConfig = null } = this.#options;
    return { thinkingConfig, ...this.generateKwargs, ...call.generateKwargs, ...this.#tools(call) };
  }

  #tools(call: ModelCall): Fields {
    const onCircle = (name: string): void =>
      this.warn(`Circular reference detected for '${name}' in tool schema`);
    if (call.structuredModel) {
      warnOfDroppedTools(call, this.log);
      const responseSchema = inlineReferences(getSchema(call.structuredModel), onCircle);
      return { responseMimeType: "application/json", responseSchema };
    }
    const choice = this.toolChoice(call);
    const declarations = (call.tools ?? []).flatMap((tool) => declaration(tool, onCircle));
    return {
      ...(call.tools && call.tools.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
      ...(choice !== undefined && { toolConfig: convertGeminiToolConfig(choice) }),
    };
  }
}

/** Writes a tool's declaration; skips tools without a function. */
function declaration(tool: unknown, onCircle: (name: string) => void): Fields[] {
  const described = readFields(tool)["function"];
  if (!isFields(described)) return [];
  const { parameters, ...rest } = described;
  return [isFields(parameters) ? { ...rest, parameters: inlineReferences(parameters, onCircle) } : rest];
}

function sdkTransport(connection: GeminiConnection): GeminiTransport {
  const requestWith = (args: Fields, signal: AbortSignal | undefined): Fields => {
    const { thinkingConfig, ...config } = readFields(args["config"]);
    const known = thinkingConfig === null ? config : { thinkingConfig, ...config };
    return { ...args, config: { ...known, ...pickDefined({ abortSignal: signal }) } };
  };
  const sdk = loadOnce(
    connection.client,
    () => import("./sdk/gemini.ts"),
    (loaded) => loaded.createGeminiSdk(connection),
  );
  return {
    generateContent: async (args, signal) => (await sdk()).models.generateContent(requestWith(args, signal)),
    generateContentStream: async (args, signal) =>
      (await sdk()).models.generateContentStream(requestWith(args, signal)),
  };
}

/** Reads Gemini's answers. Each chunk of a stream emits a response, even an empty one. */
export const geminiReader: ProviderRules = {
  family: GEMINI_FAMILY,
  separates: true,
  /** All tokens except the prompt, including thinking, are output. */
  countsOf(usage) {
    const input = readCount(usage["promptTokenCount"]);
    const total = readCount(usage["totalTokenCount"]);
    if (input === undefined || total === undefined) return undefined;
    return { input, output: total - input, rawAtEnd: usage };
  },
  /** The ID is the signature, which has to be sent back with the result; otherwise the given ID or the call's number. */
  callOf({ id, name = "", arguments: args = "{}", signature }, earlier) {
    const input = readFields(tryParsePlainJson(args));
    return {
      type: "tool_use",
      id: signature ?? id ?? `call_${earlier}`,
      name,
      input,
      raw_input: writePythonJson(input, "arguments"),
      ...pickDefined({ thought_signature: signature }),
    };
  },
  emitsEmpty: () => true,
};

/**
 * Inlines `$ref` and `$defs`, for providers that do not support them. Members next to a reference override those of its
 * target. A circular reference becomes an object with a description, and is reported to `onCircle`.
 */
function inlineReferences(schema: JsonSchema, onCircle: (name: string) => void): JsonSchema {
  const definitions: Fields = { ...readFields(schema["definitions"]), ...readFields(schema["$defs"]) };
  return readFields(inlineIn(schema, { definitions, onCircle, open: [] }));
}

interface Walk {
  readonly definitions: Fields;
  readonly onCircle: (name: string) => void;
  /** Definitions that are being inlined, outermost first. */
  readonly open: readonly string[];
}

function inlineIn(value: unknown, walk: Walk): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => inlineIn(item, walk));
  if (!isFields(value)) return value;
  const { $ref: reference, $defs: _new, definitions: _old, ...beside } = value;
  if (typeof reference !== "string") return members(beside, walk);
  const name = reference.split("/").at(-1) ?? reference;
  if (walk.open.includes(name)) {
    walk.onCircle(name);
    return { type: "object", description: `(circular: ${name})` };
  }
  const target = inlineIn(walk.definitions[name] ?? {}, { ...walk, open: [...walk.open, name] });
  return { ...readFields(target), ...members(beside, walk) };
}

function members(value: Fields, walk: Walk): Fields {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "properties" && isFields(member)
        ? Object.fromEntries(Object.entries(member).map(([own, one]) => [own, inlineIn(one, walk)]))
        : inlineIn(member, walk),
    ]),
  );
}
