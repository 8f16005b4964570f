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

/** Answers a call where it is within the limits of its test; `inner` gives the answer. */
export type LimitedAnswer = (exchange: Exchange, inner: Inner) => Promise<Answer | undefined>;

/** What is kept for an answer where nothing says it. */
const MAX_OUTPUT_TOKENS = 4_096;

/** A call under way: what its wrapped client asks for. */
interface UnderWay {
  readonly needed: number;
  readonly answer: () => Promise<ChatReply>;
  /** What it is over, where that is only told. */
  readonly over: string[];
}

/**
 * The limits of the client core's wrappers, on calls of any provider: what OpenManus and MiroFlow refuse to send is
 * refused here, with the provider's own failure. Each test counts for itself, and so does each model.
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
            : await withReason(await inner(), `The limits of context cannot be held to it: ${error.message}`);
      }
    }
    const { keepToolResults: keep } = limits;
    const left = keep === undefined ? undefined : describeRetention(exchange, request, { count, keep });
    const notes = [...over, ...(left === undefined ? [] : [left])];
    return notes.length === 0 ? answer : withReason(answer, notes.join(" "));
  };
}

/** Thrown through the wrappers where a call is missing or failed: then it counts for nothing. */
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
  const onlyTold = over === "tell" ? { onOver } : {};
  const guarded =
    maxContextTokens === undefined
      ? base
      : contextGuarded(base, { maxContextTokens, maxOutputTokens, countTokens, ...onlyTold });
  return maxInputTokens === undefined
    ? guarded
    : tokenLimited(guarded, { maxInputTokens, count: (request) => call(request).needed, ...onlyTold });
}

/** What of an answer the limits go by: its usage. */
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
    // A made-up answer that tells no usage has zeros, which would count nothing.
    ...(inputTokens && {
      usage: usageOf({ uncachedInputTokens: inputTokens, ...pickDefined({ outputTokens }) }),
    }),
  };
}

const ESTIMATED =
  "Tokens are estimated, four characters each; with gpt-tokenizer installed they are counted.";

function overLimit(exchange: Exchange, { message, hint }: ChatError, { isEstimate }: TokenText): Answer {
  // The call was not sent, as it were: the next one is the first.
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
