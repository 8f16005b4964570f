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
  /** Whether four characters are taken for a token, because nothing is installed that counts them. */
  readonly isEstimate: boolean;
}

const ESTIMATE: TokenText = {
  countText: (text) => Math.floor(Array.from(text).length / 4),
  isEstimate: true,
};

/** By the model's encoding where gpt-tokenizer is installed beside Tapedeck, else by an estimate. */
export async function tokenText(model: string): Promise<TokenText> {
  try {
    return { countText: await loadEncoding(encodingFor(model)), isEstimate: false };
  } catch (error) {
    if (isChatError(error)) return ESTIMATE;
    throw error;
  }
}

/** Operations that take texts and write none, whatever their requests read like. */
const WITHOUT_ANSWER = /embed|rerank|moderation|classification|token|speech|ocr|batch|file/i;

/** Whether a call sends messages to be answered. Texts to embed and files have no context. */
export function isConversation(exchange: Exchange): boolean {
  const { operation } = exchange.protocol;
  const isAnswered = !WITHOUT_ANSWER.test(operation);
  return isAnswered && exchange.protocol.conversation(protocolRequest(exchange)).messages.length > 0;
}

/** The names under which providers are told how long an answer may be. */
const MAX_OUTPUT = [
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens",
  "maxOutputTokens",
  "maxTokens",
];

/** How long a call lets its answer be; undefined where it does not say. */
export function maxOutputOf(exchange: Exchange): number | undefined {
  const body = requestFields(exchange);
  const places = [body, body["generationConfig"], body["inferenceConfig"], body["parameters"]].filter(
    isFields,
  );
  const said = places.flatMap((fields) => MAX_OUTPUT.map((name) => fields[name]));
  return said.find((value): value is number => typeof value === "number" && value >= 0);
}

/** What OpenManus takes a call to need as input: its messages, and its tools. */
export function requestTokens(exchange: Exchange, request: ChatRequest, { countText }: TokenText): number {
  const counter = createTokenCounter(countText);
  const { tools } = requestFields(exchange);
  const ofTools = listOf(tools).reduce<number>((sum, tool) => sum + counter.countTool(tool, "json"), 0);
  return counter.countMessageTokens(wireMessages(exchange, request)) + ofTools;
}

/** What of a call MiroFlow's retention would have left out; undefined where that is nothing. */
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
  // The note that stands for a result may be longer than the result was.
  const saved = Math.max(0, all - counter.countMessageTokens(kept));
  return `With keepToolResults ${keep} the call leaves ${plural(left, "old result")} out: ${saved} of its ${all} tokens.`;
}

/** The messages as OpenAI's chat takes them: as they came where it is one. */
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
