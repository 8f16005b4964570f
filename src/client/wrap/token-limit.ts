import { expectOptions, expectClient, expectObject } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, type ChatError, invalid } from "../errors.ts";
import { type Message, textOf } from "../message.ts";
import { inputTokens, totalTokens, type Usage } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { watchClient } from "./wrap-client.ts";

/** Counts the input tokens of a request before it is sent: text, images, and tools. */
export type CountTokens = (request: ChatRequest) => number | Promise<number>;

interface OverOptions {
  /** Called for a request that exceeds the limit, which is then sent and counted. Default: such a request is rejected. */
  readonly onOver?: (failure: ChatError, request: ChatRequest) => void;
}

export interface TokenLimitOptions extends OverOptions {
  /** Total for all calls of the client; 0 is a limit, undefined is none. */
  readonly maxInputTokens?: number;
  readonly count: CountTokens;
}

export interface TokenLimitedClient extends ChatClient {
  /** Input tokens so far, as reported by the provider or otherwise estimated. */
  readonly used: number;
  reset(): void;
}

/**
 * Rejects a request before it is sent if it would exceed the limit; reaching it exactly is allowed. Counts answered calls.
 * @throws ChatError "token-limit", which is not retryable
 */
export function tokenLimited(inner: ChatClient, options: TokenLimitOptions): TokenLimitedClient {
  expectOptions(options, { maxInputTokens: true, count: true, onOver: true });
  const { maxInputTokens, count, onOver = refuse } = options;
  if (maxInputTokens !== undefined && !(maxInputTokens >= 0))
    throw invalid("maxInputTokens", `a number from 0 on is expected, got ${maxInputTokens}`);
  let used = 0;
  const wrapped = watchClient(inner, async (request) => {
    checkRequest(request);
    const needed = await count(request);
    if (!(needed >= 0)) throw invalid("count", `a number of tokens from 0 on is expected, got ${needed}`);
    if (maxInputTokens !== undefined && used + needed > maxInputTokens)
      onOver(tokenLimitExceeded(used, needed, maxInputTokens), request);
    return (usage) => void (used += usage === undefined ? needed : inputTokens(usage));
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

/** Makes the error with the text of OpenManus, whose agents show it. */
function tokenLimitExceeded(current: number, needed: number, max: number): ChatError {
  const counts = `Current: ${current}, Needed: ${needed}, Max: ${max}`;
  return chatError("token-limit", `Request may exceed input token limit (${counts})`, {
    hint: "Shorten the conversation, raise the limit, or reset the count.",
  });
}

export interface ContextGuardOptions extends OverOptions {
  /** The model's context window, including the answer. */
  readonly maxContextTokens: number;
  /** Tokens reserved for the answer, if the request has no limit. */
  readonly maxOutputTokens: number;
  readonly countTokens: (text: string) => number;
  /** Text of the final request for a summary. Default: none. */
  readonly summaryPrompt?: string;
}

/** Estimates the tokens of the next call. */
export function estimateContext(
  lastUsage: Usage | undefined,
  messages: readonly Message[],
  options: ContextGuardOptions,
): number {
  expectObject(options, "options");
  const last = messages.findLast(({ role }) => role === "user");
  const before = lastUsage === undefined ? 0 : totalTokens(lastUsage);
  const texts = [last === undefined ? "" : textOf(last), options.summaryPrompt ?? ""];
  return countNeededTokens(before + options.maxOutputTokens, texts, options.countTokens);
}

/** Adds 1.5 times the tokens of texts and a reserve of 1000 to known tokens. If a count fails, four characters are one token. */
export function countNeededTokens(
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

/** Removes the last user message and the answer before it, so that the rest can be summarized. */
export function rolledBack<M extends { readonly role?: unknown }>(messages: readonly M[]): readonly M[] {
  const withoutUser = messages.at(-1)?.role === "user" ? messages.slice(0, -1) : [...messages];
  return withoutUser.at(-1)?.role === "assistant" ? withoutUser.slice(0, -1) : withoutUser;
}

/**
 * Rejects a request before it is sent if it would fill the context window, estimated from the usage of the previous call.
 * `rolledBack` shortens a history.
 * @throws ChatError "token-limit"
 */
export function contextGuarded(inner: ChatClient, options: ContextGuardOptions): ChatClient {
  expectClient(inner);
  expectObject(options, "options");
  for (const name of ["maxContextTokens", "maxOutputTokens"] as const)
    if (!(options[name] >= 0)) throw invalid(name, `a number from 0 on is expected, got ${options[name]}`);
  let last: Usage | undefined;
  return watchClient(inner, (request) => {
    checkRequest(request);
    const maxOutputTokens = request.settings?.maxOutputTokens ?? options.maxOutputTokens;
    const estimate = estimateContext(last, request.messages, { ...options, maxOutputTokens });
    if (estimate >= options.maxContextTokens) {
      const message = `The context would be full: ${estimate} of ${options.maxContextTokens} tokens.`;
      const failure = chatError("token-limit", message, { hint: "Shorten or summarize the history." });
      (options.onOver ?? refuse)(failure, request);
    }
    return (usage) => void (last = usage ?? last);
  });
}
