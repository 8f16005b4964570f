import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { chatError, invalid, type ChatError } from "../errors.ts";
import type { StreamEvent } from "../part-stream.ts";
import type { ChatRequest } from "../request.ts";
import { inputTokens, type Usage } from "../usage.ts";
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
