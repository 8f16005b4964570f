import { loadPeer } from "../../client/check-options.ts";
import { readCount, type Fields, readFields, isFields, readList, readText } from "../../core/base/lenient.ts";
import { createCallJoiner } from "../../core/protocol/gemini/partial-calls.ts";
import type { GeminiConnection } from "../../client/adapters/gemini/sdk.ts";
import { convertGeminiToolConfig } from "../../client/adapters/request-parts.ts";
import { writePythonJson } from "../../client/python/write.ts";
import type { JsonSchema } from "../../client/tool.ts";
import {
  ChatModelBase,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
import { parseObject, type AnswerSoFar, type Counts, type ProviderReader } from "./reading.ts";
import type { Block, TextBlock, ToolUseBlock } from "./response.ts";
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
      warnOfDroppedTools(call, (entry) => this.surroundings.log(entry));
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
  const models = async () => {
    const { createGeminiSdk: geminiSdk } = await loadPeer(
      () => import("../../client/adapters/gemini/sdk.ts"),
    );
    return geminiSdk(connection).models;
  };
  return {
    generateContent: async (args, signal) => (await models()).generateContent(requestWith(args, signal)),
    generateContentStream: async (args, signal) =>
      (await models()).generateContentStream(requestWith(args, signal)),
  };
}

/** Reads Gemini's answers. Each chunk of a stream emits a response, even an empty one. */
export const geminiReader: ProviderReader = {
  stream() {
    const joiner = createCallJoiner();
    return {
      take(state, chunk) {
        state.id = readText(chunk["responseId"]) ?? state.id;
        state.usage = countsOf(chunk["usageMetadata"]) ?? state.usage;
        for (const part of answerParts(chunk).flatMap((piece) => joiner.take(piece))) takePart(state, part);
      },
      emitsEmpty: () => true,
      end(state) {
        for (const part of joiner.rest()) takePart(state, part);
      },
    };
  },
  /** Keeps texts and thoughts separate and in order, with tool calls after them. */
  whole(answer, { structured, log }) {
    const said: Block[] = [];
    const calls: ToolUseBlock[] = [];
    let text: TextBlock | undefined;
    let signature: string | undefined;
    for (const part of answerParts(answer)) {
      const spoken = readText(part["text"]);
      if (spoken && part["thought"] === true) said.push({ type: "thinking", thinking: spoken });
      else if (spoken) said.push((text = { type: "text", text: spoken }));
      const call = toolCall(part, calls.length);
      if (call !== undefined) calls.push(call);
      else signature = readText(part["thoughtSignature"]) || signature;
    }
    if (text !== undefined && signature) text.thought_signature = signature;
    const whole = said.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    const metadata = structured === undefined || whole === "" ? undefined : parseObject(whole, log);
    const [id, usage] = [readText(answer["responseId"]), countsOf(answer["usageMetadata"])];
    return { content: [...said, ...calls], id, usage, metadata };
  },
};

function takePart(state: AnswerSoFar, part: Fields): void {
  const spoken = readText(part["text"]) ?? "";
  if (part["thought"] === true) state.thinking += spoken;
  else state.text += spoken;
  const call = toolCall(part, state.calls.length);
  if (call !== undefined) state.calls.push(call);
  else state.textSignature = readText(part["thoughtSignature"]) || state.textSignature;
}

function answerParts(answer: Fields): readonly Fields[] {
  const [candidate] = readList(answer["candidates"]);
  return readList(readFields(readFields(candidate)["content"])["parts"]).map(readFields);
}

/** Reads a call. Its ID is the signature, which has to be sent back with the result; otherwise the given ID or its number. */
function toolCall(part: Fields, earlier: number): ToolUseBlock | undefined {
  const call = part["functionCall"];
  if (!isFields(call)) return undefined;
  const signature = readText(part["thoughtSignature"]);
  const input = readFields(call["args"]);
  return {
    type: "tool_use",
    id: signature ?? readText(call["id"]) ?? `call_${earlier}`,
    name: readText(call["name"]) ?? "",
    input,
    raw_input: writePythonJson(input, "arguments"),
    ...pickDefined({ thought_signature: signature }),
  };
}

/** Reads the counts. All tokens except the prompt, including thinking, are output. */
function countsOf(usage: unknown): Counts | undefined {
  const fields = readFields(usage);
  const input = readCount(fields["promptTokenCount"]);
  const total = readCount(fields["totalTokenCount"]);
  if (input === undefined || total === undefined) return undefined;
  return { input, output: total - input, rawAtEnd: fields };
}

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
