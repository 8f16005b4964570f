import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, invalid } from "../errors.ts";
import type { StreamEvent } from "../part-stream.ts";
import { textOf, type Message } from "../message.ts";
import type { ChatRequest } from "../request.ts";
import { inputTokens, type Usage } from "../usage.ts";
import { wrapClient } from "./wrap-client.ts";

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
