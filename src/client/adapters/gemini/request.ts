import { type Fields, isFields, tryParsePlainJson } from "../../../core/base/lenient.ts";
import {
  createUnsupportedError,
  readExtras,
  convertOutputFormat,
  convertGeminiToolConfig,
  mergeTurns,
  convertSettings,
  type SettingWords,
  readThinkingBudget,
  listLeadingSystem,
  mapNamesOfCalls,
} from "../request-parts.ts";
import { getInlineMedia, typeByEnding } from "../../media.ts";
import type { MediaPart, Message, Part, ToolResultPart } from "../../message.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import { parseArguments, type ToolDefinition } from "../../tool.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

const NAME = "Gemini";

/** Writes a request for the SDK. @throws ChatError "validation" for unsupported features */
export function buildGeminiBody(request: ChatRequest, model: string): Fields {
  const { systemInstruction, contents } = geminiConversation(request.messages);
  if (contents.length === 0)
    throw createUnsupportedError(
      NAME,
      "messages",
      "answer to system messages alone",
      "Add a message of the user.",
    );
  const { tools = [], toolChoice, output, settings } = request;
  return {
    model,
    contents,
    config: {
      ...pickDefined({ systemInstruction }),
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declaration) }] }),
      ...(toolChoice !== undefined && { toolConfig: convertGeminiToolConfig(toolChoice) }),
      ...(output && {
        responseMimeType: "application/json",
        responseJsonSchema: convertOutputFormat(output)["schema"],
      }),
      ...convertSettings(SETTINGS, NAME, settings),
      ...thinkingOf(settings),
    },
  };
}

function declaration({ name, description, parameters }: ToolDefinition): Fields {
  return { name, ...pickDefined({ description, parametersJsonSchema: parameters }) };
}

const SETTINGS: SettingWords = {
  maxOutputTokens: "maxOutputTokens",
  temperature: "temperature",
  topP: "topP",
  topK: "topK",
  seed: "seed",
  stop: "stopSequences",
  frequencyPenalty: "frequencyPenalty",
  presencePenalty: "presencePenalty",
};

function thinkingOf({ thinking }: ChatSettings = {}): Fields {
  if (thinking === undefined) return {};
  const budget = readThinkingBudget(thinking);
  return { thinkingConfig: { thinkingBudget: budget, ...(budget > 0 && { includeThoughts: true }) } };
}

interface GeminiConversation {
  readonly systemInstruction?: Fields;
  readonly contents: readonly Fields[];
}

/** Writes the conversation for the SDK. @throws ChatError "validation" for unsupported parts */
function geminiConversation(messages: readonly Message[]): GeminiConversation {
  const leading = listLeadingSystem(messages);
  const late = messages.slice(leading.length).find(({ role }) => role === "system");
  if (late !== undefined) {
    const where = `messages[${messages.indexOf(late, leading.length)}]`;
    throw createUnsupportedError(NAME, where, "take a system message after the conversation began");
  }
  const names = mapNamesOfCalls(messages);
  const system = leading.flatMap((message, index) =>
    wireParts(message, { where: `messages[${index}]`, names }),
  );
  const turns = messages.slice(leading.length).map((message, index) => ({
    role: message.role === "assistant" ? "model" : "user",
    blocks: wireParts(message, { where: `messages[${leading.length + index}]`, names }),
    results: message.parts.every(({ type }) => type === "tool-result"),
  }));
  const merged = mergeTurns(turns, (before, next) => before.results && next.results);
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents: merged.map(({ role, blocks }) => ({ role, parts: blocks })),
  };
}

interface At {
  readonly where: string;
  /** Names of the tools by the IDs of their calls, because results need them here. */
  readonly names: ReadonlyMap<string, string>;
}

function wireParts(message: Message, at: At): Fields[] {
  return message.parts.map((part, index) => ({
    ...partOf(part, { ...at, where: `${at.where}.parts[${index}]` }),
    ...readExtras("gemini", part),
  }));
}

function partOf(part: Part, at: At): Fields {
  if (part.type === "text") return { text: part.text, ...signatureFields(part) };
  if (part.type === "thinking") return { text: part.text, thought: true, ...signatureFields(part) };
  if (part.type === "tool-call") {
    const functionCall = { ...givenId(part.id), name: part.name, args: parseArguments(part) };
    return { functionCall, ...signatureFields(part) };
  }
  return part.type === "tool-result" ? resultPart(part, at) : mediaPart(part, at.where);
}

function signatureFields({ signature }: { readonly signature?: string }): Fields {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

/** Returns the ID of a call, unless Tapedeck made it. */
const givenId = (id: string): Fields => (id === "" || /^call_\d+$/.test(id) ? {} : { id });

function resultPart({ callId, name, content, isError }: ToolResultPart, { where, names }: At): Fields {
  const called = name ?? names.get(callId);
  if (called === undefined)
    throw createUnsupportedError(
      NAME,
      where,
      "take a tool's result without its name",
      `Say the name, or keep the call ${callId}.`,
    );
  const given = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const text = given.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");
  const media = given.filter((one) => one.type !== "text");
  const value = tryParsePlainJson(text);
  const response = isError === true ? { error: text } : isFields(value) ? value : { output: text };
  const parts = media.map((one, index) => mediaPart(one, `${where}.content[${index}]`));
  return {
    functionResponse: { ...givenId(callId), name: called, response, ...(parts.length > 0 && { parts }) },
  };
}

function mediaPart(part: MediaPart, where: string): Fields {
  const { source } = part;
  if (source.kind === "id") return { fileData: { fileUri: source.id } };
  const inline = getInlineMedia(part);
  if (inline !== undefined) return { inlineData: { mimeType: inline.mediaType, data: inline.data } };
  if (source.kind !== "url") throw createUnsupportedError(NAME, where, `take ${part.type} without content`);
  const mimeType = typeByEnding(source.url);
  return { fileData: { fileUri: source.url, ...pickDefined({ mimeType }) } };
}
