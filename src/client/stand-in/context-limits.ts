import type { Answer } from "../../core/call/call.ts";
import type { ContextLimits } from "../../core/call/mocks.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { giveBackNumber, scopedKey } from "../../core/answer/runs.ts";
import { settledAnswer } from "../../core/answer/source/recordings.ts";
import { type Exchange } from "../../core/match/read-request.ts";
import { contentTypeOf } from "../../core/base/wire/text.ts";
import type { ChatClient } from "../chat-client.ts";
import { isChatError, type ChatError } from "../errors.ts";
import { fixedClient } from "../mock/mock-client.ts";
import { usage as usageOf, type ChatReply } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { contextGuarded, tokenLimited } from "../wrap/token-limit.ts";
import { failedReply, failedWire, chatRequestOf } from "./answer.ts";
import {
  isConversation,
  maxOutputOf,
  requestTokens,
  describeRetention,
  tokenText,
  type TokenText,
} from "./context-tokens.ts";

type Inner = () => Promise<Answer | undefined>;

/** Answers a call with `inner` if it is within the limits of its test. */
export type LimitedAnswer = (exchange: Exchange, inner: Inner) => Promise<Answer | undefined>;

/** Default of the tokens reserved for an answer. */
const MAX_OUTPUT_TOKENS = 4_096;

/** A pending call, for its wrapped client. */
interface UnderWay {
  readonly needed: number;
  readonly answer: () => Promise<ChatReply>;
  /** Messages about exceeded limits that are only reported. */
  readonly over: string[];
}

/**
 * Applies the limits of the client core's wrappers to calls of any provider. Requests that OpenManus and MiroFlow would
 * not send fail with the provider's error. Each test and each model is counted separately.
 */
export function contextLimited(limits: ContextLimits): LimitedAnswer {
  const clients = new Map<string, ChatClient>();
  const underWay = new WeakMap<ChatRequest, UnderWay>();
  const clientFor = (exchange: Exchange, count: TokenText): ChatClient => {
    const name = scopedKey(`sha256:${exchange.facts.model}`, exchange.call);
    const known = clients.get(name) ?? limitedClient(limits, underWay, count);
    clients.set(name, known);
    return known;
  };
  return async (exchange, inner) => {
    if (!isConversation(exchange)) return inner();
    const maxOutputTokens = maxOutputOf(exchange) ?? limits.maxOutputTokens ?? MAX_OUTPUT_TOKENS;
    const request = { ...chatRequestOf(exchange), settings: { maxOutputTokens } };
    const count = await tokenText(String(exchange.facts.model));
    const over: string[] = [];
    let answer: Answer | undefined;
    underWay.set(request, {
      over,
      needed: requestTokens(exchange, request, count),
      answer: async () => replyOf((answer = await inner()), exchange),
    });
    try {
      await clientFor(exchange, count).complete(request);
    } catch (error) {
      if (error !== NO_ANSWER) {
        if (!isChatError(error)) throw error;
        answer =
          error.kind === "token-limit"
            ? overLimit(exchange, error, count)
            : await withReason(await inner(), `The context limits cannot be checked: ${error.message}`);
      }
    }
    const { keepToolResults: keep } = limits;
    const left = keep === undefined ? undefined : describeRetention(exchange, request, { count, keep });
    const notes = [...over, ...(left === undefined ? [] : [left])];
    return notes.length === 0 ? answer : withReason(answer, notes.join(" "));
  };
}

/** Thrown through the wrappers if a call is missing or failed, so that it is not counted. */
const NO_ANSWER = new Error("There is no answer to count.");

function limitedClient(
  { maxInputTokens, maxContextTokens, maxOutputTokens = MAX_OUTPUT_TOKENS, over }: ContextLimits,
  underWay: WeakMap<ChatRequest, UnderWay>,
  { countText: countTokens }: TokenText,
): ChatClient {
  const call = (request: ChatRequest): UnderWay => {
    const known = underWay.get(request);
    if (known === undefined) throw NO_ANSWER;
    return known;
  };
  const base: ChatClient = { ...fixedClient(NO_ANSWER), complete: (request) => call(request).answer() };
  const onOver = ({ message }: ChatError, request: ChatRequest): void =>
    void call(request).over.push(message);
  const reporting = over === "tell" ? { onOver } : {};
  const guarded =
    maxContextTokens === undefined
      ? base
      : contextGuarded(base, { maxContextTokens, maxOutputTokens, countTokens, ...reporting });
  return maxInputTokens === undefined
    ? guarded
    : tokenLimited(guarded, { maxInputTokens, count: (request) => call(request).needed, ...reporting });
}

/** Converts an answer to a reply with its usage, which the limits count. */
async function replyOf(answer: Answer | undefined, { protocol }: Exchange): Promise<ChatReply> {
  if (answer === undefined || answer.reply.status >= 400) throw NO_ANSWER;
  const { status, headers, body } = answer.reply;
  const usage =
    body instanceof Uint8Array
      ? protocol.project({ status, ...contentTypeOf(headers), body }).usage
      : undefined;
  const { inputTokens, outputTokens } = usage ?? {};
  return {
    message: { role: "assistant", parts: [] },
    finishReason: "stop",
    // A composed answer without usage has zeros, which must not be counted.
    ...(inputTokens && {
      usage: usageOf({ uncachedInputTokens: inputTokens, ...pickDefined({ outputTokens }) }),
    }),
  };
}

const ESTIMATED = "Tokens are estimated at four characters each. Install gpt-tokenizer to count them.";

function overLimit(exchange: Exchange, { message, hint }: ChatError, { isEstimate }: TokenText): Answer {
  // The call counts as not sent, so that the next identical one is the first.
  giveBackNumber(exchange.call.run.counts, exchange);
  return settledAnswer(failedWire(failedReply(exchange, { status: 400, message })), {
    outcome: "refused",
    reason: message,
    hint: [hint, ...(isEstimate ? [ESTIMATED] : [])].join(" "),
    failedWith: 400,
    failsRun: true,
  });
}

async function withReason(answer: Answer | undefined, text: string): Promise<Answer | undefined> {
  if (answer === undefined) return undefined;
  const settled = await answer.settled;
  const reason = [settled.reason, text].filter(Boolean).join(" ");
  return settledAnswer(answer.reply, { ...settled, reason });
}
