import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, type ChatError, invalid } from "../errors.ts";
import { type Message, textOf } from "../message.ts";
import { inputTokens, type StreamEvent, type Usage } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { wrapClient } from "./wrap-client.ts";

/** Counts the input of a request before it is sent: text, images and tools. */
export type CountTokens = (request: ChatRequest) => number | Promise<number>;

export interface TokenLimitOptions {
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
export function tokenLimited(
  inner: ChatClient,
  { maxInputTokens, count }: TokenLimitOptions,
): TokenLimitedClient {
  if (maxInputTokens !== undefined && !(maxInputTokens >= 0))
    throw invalid("maxInputTokens", `a number from 0 on is expected, got ${maxInputTokens}`);
  let used = 0;
  const admit = async (request: ChatRequest): Promise<number> => {
    checkRequest(request);
    const needed = await count(request);
    if (!(needed >= 0)) throw invalid("count", `a number of tokens from 0 on is expected, got ${needed}`);
    if (maxInputTokens !== undefined && used + needed > maxInputTokens)
      throw tokenLimitExceeded(used, needed, maxInputTokens);
    return needed;
  };
  const note = (usage: Usage | undefined, estimate: number): void => {
    used += usage === undefined ? estimate : inputTokens(usage);
  };
  const wrapped = wrapClient(inner, {
    async complete(request) {
      const estimate = await admit(request);
      const reply = await inner.complete(request);
      note(reply.usage, estimate);
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const estimate = await admit(request);
      let usage: Usage | undefined;
      for await (const event of inner.stream(request)) {
        if (event.type === "usage") usage = event.usage;
        if (event.type === "finish") note(usage, estimate);
        yield event;
      }
    },
  });
  return Object.defineProperties(
    { ...wrapped, used: 0, reset: () => void (used = 0) },
    { used: { get: () => used } },
  );
}

/** The text is OpenManus's, whose agents show it. */
export function tokenLimitExceeded(current: number, needed: number, max: number): ChatError {
  const counts = `Current: ${current}, Needed: ${needed}, Max: ${max}`;
  return chatError("token-limit", `Request may exceed input token limit (${counts})`, {
    hint: "Shorten the conversation, raise the limit, or reset the count.",
  });
}

export interface ContextGuardOptions {
  /** What the model can hold, question and answer together. */
  readonly maxContextTokens: number;
  /** What is kept for the answer where the request does not say. */
  readonly maxOutputTokens: number;
  /** The tokens of a text. Where it fails, four characters count as one. */
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
  const last = messages.findLast(({ role }) => role === "user");
  const buffered = (text: string): number => Math.trunc(1.5 * countedTokens(text, options.countTokens));
  const before = lastUsage === undefined ? 0 : inputTokens(lastUsage) + lastUsage.outputTokens;
  const asked = last === undefined ? 0 : buffered(textOf(last));
  return before + asked + buffered(options.summaryPrompt ?? "") + options.maxOutputTokens + 1000;
}

/** The history without its last question and the answer before it: what is left can still be summed up. */
export function rolledBack(messages: readonly Message[]): readonly Message[] {
  const withoutUser = messages.at(-1)?.role === "user" ? messages.slice(0, -1) : [...messages];
  return withoutUser.at(-1)?.role === "assistant" ? withoutUser.slice(0, -1) : withoutUser;
}

/**
 * Refuses a request that would reach what the model can hold, before it is sent; the usage of the call before is the
 * measure. `rolledBack` makes a history that fits again.
 * @throws ChatError "token-limit"
 */
export function contextGuarded(inner: ChatClient, options: ContextGuardOptions): ChatClient {
  for (const name of ["maxContextTokens", "maxOutputTokens"] as const)
    if (!(options[name] >= 0)) throw invalid(name, `a number from 0 on is expected, got ${options[name]}`);
  let last: Usage | undefined;
  const admit = (request: ChatRequest): void => {
    checkRequest(request);
    const maxOutputTokens = request.settings?.maxOutputTokens ?? options.maxOutputTokens;
    const estimate = estimateContext(last, request.messages, { ...options, maxOutputTokens });
    if (estimate < options.maxContextTokens) return;
    throw chatError(
      "token-limit",
      `The context would be full: ${estimate} of ${options.maxContextTokens} tokens.`,
      {
        hint: "Roll the history back, or sum it up.",
      },
    );
  };
  return wrapClient(inner, {
    async complete(request) {
      admit(request);
      const reply = await inner.complete(request);
      last = reply.usage ?? last;
      return reply;
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      admit(request);
      for await (const event of inner.stream(request)) {
        if (event.type === "usage") last = event.usage;
        yield event;
      }
    },
  });
}

function countedTokens(text: string, count: (text: string) => number): number {
  try {
    return count(text);
  } catch {
    return Math.floor(Array.from(text).length / 4);
  }
}
