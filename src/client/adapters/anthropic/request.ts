import type { Fields } from "../../../core/base/lenient.ts";
import {
  convertAnthropicToolChoice,
  createUnsupportedError,
  readExtras,
  mergeTurns,
  convertSettings,
  type SettingWords,
  chooseToolsOrAnswer,
  readThinkingBudget,
  listLeadingSystem,
} from "../request-parts.ts";
import { getMediaAddress, getInlineMedia } from "../../media.ts";
import type { MediaPart, Message, Part, ToolResultPart } from "../../message.ts";
import type { ChatRequest } from "../../request.ts";
import { parseArguments, type ToolDefinition } from "../../tool.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

const NAME = "Anthropic";
/** Limit for requests without one, because the API requires it. */
const DEFAULT_MAX_TOKENS = 2048;

/** Writes a request for Anthropic's messages. @throws ChatError "validation" for unsupported features */
export function buildAnthropicBody(request: ChatRequest, model: string, stream: boolean): Fields {
  const { system, messages } = buildAnthropicConversation(request.messages);
  if (messages.length === 0)
    throw createUnsupportedError(
      NAME,
      "messages",
      "answer to system messages alone",
      "Add a message of the user.",
    );
  const { maxOutputTokens: _limit, parallelToolCalls: _withTools, ...sampling } = request.settings ?? {};
  return {
    model,
    ...limits(request),
    ...pickDefined({ system }),
    messages,
    ...tools(request),
    ...convertSettings(SETTINGS, NAME, sampling),
    stream,
  };
}

function tools(request: ChatRequest): Fields {
  const { given, choice } = chooseToolsOrAnswer(NAME, request);
  const { parallelToolCalls: several } = request.settings ?? {};
  const one = several === undefined ? undefined : !several;
  const chosen = choice === undefined && one !== undefined && given.length > 0 ? "auto" : choice;
  return {
    ...(given.length > 0 && { tools: given.map(anthropicTool) }),
    ...(chosen !== undefined && {
      tool_choice: {
        ...convertAnthropicToolChoice(chosen),
        ...(one !== undefined && chosen !== "none" && { disable_parallel_tool_use: one }),
      },
    }),
  };
}

function anthropicTool({ name, description, parameters, strict }: ToolDefinition): Fields {
  return {
    name,
    ...pickDefined({ description }),
    input_schema: parameters ?? { type: "object", properties: {} },
    ...pickDefined({ strict }),
  };
}

/** Returns the limits. Thinking counts toward the limit of the answer, so that the default is added to its budget. */
function limits({ settings = {}, output }: ChatRequest): Fields {
  const { thinking, maxOutputTokens } = settings;
  if (thinking === undefined) return { max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS };
  const budget = readThinkingBudget(thinking);
  if (budget === 0)
    return { max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS, thinking: { type: "disabled" } };
  if (output !== undefined)
    throw createUnsupportedError(
      NAME,
      "settings.thinking",
      "think and give a structured answer: it is a forced tool call",
    );
  const most = maxOutputTokens ?? budget + DEFAULT_MAX_TOKENS;
  if (most <= budget)
    throw createUnsupportedError(
      NAME,
      "settings.maxOutputTokens",
      `spend ${budget} tokens on thinking within an answer of ${most}`,
      "Raise maxOutputTokens above the budget, or lower the effort.",
    );
  return { max_tokens: most, thinking: { type: "enabled", budget_tokens: budget } };
}

const SETTINGS: SettingWords = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  stop: "stop_sequences",
};

interface AnthropicConversation {
  readonly system?: string | readonly Fields[];
  readonly messages: readonly Fields[];
}

/**
 * Writes the conversation. Leading system messages become `system`, later ones stay in place.
 * @throws ChatError "validation" for unsupported parts
 */
export function buildAnthropicConversation(messages: readonly Message[]): AnthropicConversation {
  const leading = listLeadingSystem(messages);
  const system = leading.flatMap(({ parts }, index) => blocksOf(parts, `messages[${index}]`));
  const turns = messages
    .slice(leading.length)
    .map((message, index) => turnOf(message, leading.length + index));
  const merged = mergeTurns(turns, (before, next) => before.results && next.results);
  return {
    ...(system.length > 0 && { system: bareText(system) }),
    messages: merged.map(({ role, blocks, extras }) => ({ role, content: bareText(blocks), ...extras })),
  };
}

interface Turn {
  readonly role: string;
  readonly blocks: readonly Fields[];
  readonly results: boolean;
  readonly extras: Fields;
}

function turnOf(message: Message, index: number): Turn {
  const { role, parts } = message;
  return {
    role: role === "tool" ? "user" : role,
    blocks: blocksOf(parts, `messages[${index}]`),
    results: parts.every(({ type }) => type === "tool-result"),
    extras: readExtras("anthropic", message),
  };
}

/** Returns the text of a single plain text block, which users write without a list. */
function bareText(blocks: readonly Fields[]): string | readonly Fields[] {
  const [first, ...rest] = blocks;
  const bare = first?.["type"] === "text" && rest.length === 0 && Object.keys(first).length === 2;
  return bare && typeof first["text"] === "string" ? first["text"] : blocks;
}

function blocksOf(parts: readonly Part[], where: string): Fields[] {
  return parts.flatMap((part, index) => {
    const block = blockOf(part, `${where}.parts[${index}]`);
    return block === undefined ? [] : [{ ...block, ...ownExtras(part) }];
  });
}

function ownExtras(part: Part): Fields {
  const { redacted: _read, ...extras } = readExtras("anthropic", part);
  return extras;
}

function blockOf(part: Part, where: string): Fields | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "thinking") return thinkingBlock(part);
  if (part.type === "tool-call")
    return { type: "tool_use", id: part.id, name: part.name, input: parseArguments(part) };
  return part.type === "tool-result" ? resultBlock(part, where) : mediaBlock(part, where);
}

/** Writes thoughts that Anthropic signed or encrypted; it accepts no others. */
function thinkingBlock(part: Extract<Part, { type: "thinking" }>): Fields | undefined {
  const { redacted } = readExtras("anthropic", part);
  if (typeof redacted === "string") return { type: "redacted_thinking", data: redacted };
  if (part.signature === undefined) return undefined;
  return { type: "thinking", thinking: part.text, signature: part.signature };
}

function resultBlock({ callId, content, isError }: ToolResultPart, where: string): Fields {
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: typeof content === "string" ? content : blocksOf(content, where),
    ...pickDefined({ is_error: isError }),
  };
}

function mediaBlock(part: MediaPart, where: string): Fields {
  if (part.type === "audio" || part.type === "video")
    throw createUnsupportedError(NAME, where, `take ${part.type}`);
  const source = sourceOf(part);
  if (part.type === "image") return { type: "image", source };
  return { type: "document", source, ...pickDefined({ title: part.name }) };
}

function sourceOf(part: MediaPart): Fields {
  if (part.source.kind === "id") return { type: "file", file_id: part.source.id };
  const inline = getInlineMedia(part);
  if (inline === undefined) return { type: "url", url: getMediaAddress(part) };
  if (part.type === "file" && inline.mediaType.startsWith("text/"))
    return { type: "text", media_type: "text/plain", data: decodeText(inline.data) };
  return { type: "base64", media_type: inline.mediaType, data: inline.data };
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
}
