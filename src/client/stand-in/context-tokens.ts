import { plainJson } from "../../core/base/json/json-tree.ts";
import { isFields, listOf, type Fields, fieldsOf } from "../../core/base/lenient.ts";
import { protocolRequest } from "../../core/match/read-request.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { plural } from "../../core/base/plural.ts";
import { isChatError } from "../errors.ts";
import { textOf, toolCallsOf, type Message } from "../message.ts";
import type { ChatRequest } from "../request.ts";
import { retainToolResults } from "../../systems/miroflow/retention.ts";
import {
  createTokenCounter,
  encodingFor,
  loadEncoding,
  type CountText,
} from "../../systems/openmanus/token-counter.ts";

export interface TokenText {
  readonly countText: CountText;
  /** Whether tokens are estimated at four characters each, because no tokenizer is installed. */
  readonly isEstimate: boolean;
}

const ESTIMATE: TokenText = {
  countText: (text) => Math.floor(Array.from(text).length / 4),
  isEstimate: true,
};

/** Returns a counter for the model's encoding if gpt-tokenizer is installed, otherwise an estimate. */
export async function tokenText(model: string): Promise<TokenText> {
  try {
    return { countText: await loadEncoding(encodingFor(model)), isEstimate: false };
  } catch (error) {
    if (isChatError(error)) return ESTIMATE;
    throw error;
  }
}

/** Operations whose answer is not a text. */
const WITHOUT_ANSWER = /embed|rerank|moderation|classification|token|speech|ocr|batch|file/i;

/** Whether a call is a conversation. Texts to embed and files have no context. */
export function isConversation(exchange: Exchange): boolean {
  const { operation } = exchange.protocol;
  const isAnswered = !WITHOUT_ANSWER.test(operation);
  return isAnswered && exchange.protocol.conversation(protocolRequest(exchange)).messages.length > 0;
}

/** Providers' names of the limit of an answer. */
const MAX_OUTPUT = [
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens",
  "maxOutputTokens",
  "maxTokens",
];

/** Returns a call's limit of the answer, if it has one. */
export function maxOutputOf(exchange: Exchange): number | undefined {
  const body = requestFields(exchange);
  const places = [body, body["generationConfig"], body["inferenceConfig"], body["parameters"]].filter(
    isFields,
  );
  const values = places.flatMap((fields) => MAX_OUTPUT.map((name) => fields[name]));
  return values.find((value): value is number => typeof value === "number" && value >= 0);
}

/** Counts the input tokens of a call like OpenManus: messages and tools. */
export function requestTokens(exchange: Exchange, request: ChatRequest, { countText }: TokenText): number {
  const counter = createTokenCounter(countText);
  const { tools } = requestFields(exchange);
  const ofTools = listOf(tools).reduce<number>((sum, tool) => sum + counter.countTool(tool, "json"), 0);
  return counter.countMessageTokens(wireMessages(exchange, request)) + ofTools;
}

/** Describes the tool results that MiroFlow's retention would omit; returns undefined for none. */
export function describeRetention(
  exchange: Exchange,
  request: ChatRequest,
  { count, keep }: { readonly count: TokenText; readonly keep: number },
): string | undefined {
  const counter = createTokenCounter(count.countText);
  const messages = wireMessages(exchange, request);
  const kept = retainToolResults(messages, keep);
  const left = messages.filter((message, index) => message !== kept[index]).length;
  if (left === 0) return undefined;
  const all = counter.countMessageTokens(messages);
  // The note can be longer than the result that it replaces.
  const saved = Math.max(0, all - counter.countMessageTokens(kept));
  return `With keepToolResults ${keep} the call leaves ${plural(left, "old result")} out: ${saved} of its ${all} tokens.`;
}

/** Returns the messages in the format of OpenAI's chats, unchanged if the call is one. */
function wireMessages(exchange: Exchange, request: ChatRequest): readonly Fields[] {
  const { messages } = requestFields(exchange);
  if (exchange.protocol.operation === "chat.completions") return listOf(messages).filter(isFields);
  return request.messages.flatMap(wireMessage);
}

function wireMessage(message: Message): readonly Fields[] {
  const results = message.parts.flatMap((part) =>
    part.type === "tool-result"
      ? [
          {
            role: "tool",
            content:
              typeof part.content === "string" ? part.content : textOf({ role: "tool", parts: part.content }),
            tool_call_id: part.callId,
          },
        ]
      : [],
  );
  if (results.length > 0) return results;
  const calls = toolCallsOf(message).map(({ id, name, arguments: args }) => ({
    id,
    function: { name, arguments: args },
  }));
  return [{ role: message.role, content: textOf(message), tool_calls: calls }];
}

function requestFields(exchange: Exchange): Fields {
  const { body } = protocolRequest(exchange);
  return fieldsOf(body.kind === "json" ? plainJson(body.tree) : undefined);
}
