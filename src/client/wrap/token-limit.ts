import { expectOptions, expectClient, expectList, expectObject } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, type ChatError, invalid } from "../errors.ts";
import { type Message, textOf } from "../message.ts";
import { inputTokens, totalTokens, type Usage } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { watchedClient } from "./wrap-client.ts";

/** Counts the input of a request before it is sent: text, images and tools. */
export type CountTokens = (request: ChatRequest) => number | Promise<number>;

interface OverOptions {
  /** Is told of a request that is over instead of refusing it: it is sent, and counts. Default: it is refused. */
  readonly onOver?: (failure: ChatError, request: ChatRequest) => void;
}

export interface TokenLimitOptions extends OverOptions {
  /** For all calls of the client together; 0 is a limit, undefined is none. */
  readonly maxInputTokens?: number;
  readonly count: CountTokens;
}

export interface TokenLimitedClient extends ChatClient {
  /** Input tokens so far: what providers said, and the estimate where they said nothing. */
  readonly used: number;
  reset(): void;
}

/**
 * Refuses a request that would go beyond the limit before it is sent; reaching it exactly is allowed. Only answered
 * calls count, each once.
 * @throws ChatError "token-limit", which no retry mends.
 */
export function tokenLimited(inner: ChatClient, options: TokenLimitOptions): TokenLimitedClient {
  expectOptions(options, { maxInputTokens: true, count: true, onOver: true });
  const { maxInputTokens, count, onOver = refuse } = options;
  if (maxInputTokens !== undefined && !(maxInputTokens >= 0))
    throw invalid("maxInputTokens", `a number from 0 on is expected, got ${maxInputTokens}`);
  let used = 0;
  const wrapped = watchedClient(inner, async (request) => {
    checkRequest(request);
    const needed = await count(request);
    if (!(needed >= 0)) throw invalid("count", `a number of tokens from 0 on is expected, got ${needed}`);
    if (maxInputTokens !== undefined && used + needed > maxInputTokens)
      onOver(tokenLimitExceeded(used, needed, maxInputTokens), request);
    return { answered: (usage) => void (used += usage === undefined ? needed : inputTokens(usage)) };
  });
  return {
    ...wrapped,
    get used() {
      return used;
    },
    reset: () => void (used = 0),
  };
}

function refuse(failure: ChatError): never {
  throw failure;
}

/** The text is OpenManus's, whose agents show it. */
export function tokenLimitExceeded(current: number, needed: number, max: number): ChatError {
  const counts = `Current: ${current}, Needed: ${needed}, Max: ${max}`;
  return chatError("token-limit", `Request may exceed input token limit (${counts})`, {
    hint: "Shorten the conversation, raise the limit, or reset the count.",
  });
}

export interface ContextGuardOptions extends OverOptions {
  /** What the model can hold, question and answer together. */
  readonly maxContextTokens: number;
  /** What is kept for the answer where the request does not say. */
  readonly maxOutputTokens: number;
  readonly countTokens: (text: string) => number;
  /** What the last question, which asks for the summary, will be. Default: none. */
  readonly summaryPrompt?: string;
}

/** How many tokens a next call would need, as far as can be told before. */
export function estimateContext(
  lastUsage: Usage | undefined,
  messages: readonly Message[],
  options: ContextGuardOptions,
): number {
  expectList(messages, "messages");
  expectObject(options, "options");
  const last = messages.findLast(({ role }) => role === "user");
  const before = lastUsage === undefined ? 0 : totalTokens(lastUsage);
  const asked = [last === undefined ? "" : textOf(last), options.summaryPrompt ?? ""];
  return neededTokens(before + options.maxOutputTokens, asked, options.countTokens);
}

/** Tokens that are known, those of texts with half as many again, and a thousand to spare. Where a count fails, four characters are one. */
export function neededTokens(
  known: number,
  texts: readonly string[],
  count: (text: string) => number,
  onFailure?: (error: unknown) => void,
): number {
  const countText = (text: string): number => {
    try {
      return count(text);
    } catch (error) {
      onFailure?.(error);
      return Math.floor(Array.from(text).length / 4);
    }
  };
  return texts.reduce((sum, text) => sum + Math.trunc(1.5 * countText(text)), known + 1000);
}

/** The history without its last question and the answer before it: what is left can still be summed up. */
export function rolledBack<M extends { readonly role?: unknown }>(messages: readonly M[]): readonly M[] {
  expectList(messages, "messages");
  const withoutUser = messages.at(-1)?.role === "user" ? messages.slice(0, -1) : [...messages];
  return withoutUser.at(-1)?.role === "assistant" ? withoutUser.slice(0, -1) : withoutUser;
}

/**
 * Refuses a request that would reach what the model can hold, before it is sent; the usage of the call before is the
 * measure. `rolledBack` makes a history that fits again.
 * @throws ChatError "token-limit"
 */
export function contextGuarded(inner: ChatClient, options: ContextGuardOptions): ChatClient {
  expectClient(inner);
  expectObject(options, "options");
  for (const name of ["maxContextTokens", "maxOutputTokens"] as const)
    if (!(options[name] >= 0)) throw invalid(name, `a number from 0 on is expected, got ${options[name]}`);
  let last: Usage | undefined;
  return watchedClient(inner, (request) => {
    checkRequest(request);
    const maxOutputTokens = request.settings?.maxOutputTokens ?? options.maxOutputTokens;
    const estimate = estimateContext(last, request.messages, { ...options, maxOutputTokens });
    if (estimate >= options.maxContextTokens) {
      const message = `The context would be full: ${estimate} of ${options.maxContextTokens} tokens.`;
      const failure = chatError("token-limit", message, { hint: "Roll the history back, or sum it up." });
      (options.onOver ?? refuse)(failure, request);
    }
    return { answered: (usage) => void (last = usage ?? last) };
  });
}
