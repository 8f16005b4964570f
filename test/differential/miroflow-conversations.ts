import { isDeepStrictEqual } from "node:util";
import { applyCacheControl, anthropicProvider } from "../../src/systems/miroflow/anthropic-provider.ts";
import { ensureSummaryContext } from "../../src/systems/miroflow/guard.ts";
import { openAiProvider } from "../../src/systems/miroflow/openai-provider.ts";
import {
  answerText,
  experienceText,
  fixServerNames,
  parseToolCalls,
} from "../../src/systems/miroflow/parsing.ts";
import { retainToolResults } from "../../src/systems/miroflow/retention.ts";
import { standIn } from "../systems/miroflow/stand-in.ts";
import type { Differential } from "./system.ts";

interface MiroCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Tool calls in answers, server names, what is kept of conversations and the guard of their length. */
export const miroflowConversations: Differential<MiroCase> = {
  name: "Conversations (MiroFlow)",
  results: "miroflow.ndjson",
  ours: ({ what, input }) => OURS[what](input),
  documented({ what, input }, { ours, theirs }) {
    if (what === "mark" && isDeepStrictEqual(unnamed(ours), unnamed(theirs)))
      return "the message that is marked for the cache keeps its other fields";
    const isRightOnce = String(ours) !== String(input.text);
    return what === "fix" && isRightOnce
      ? "each wrong server name is corrected, also beside a right one"
      : undefined;
  },
};

/** Marked messages without what the original drops. */
function unnamed(result: unknown): unknown {
  const { messages, log } = result as { messages: { name?: string }[]; log: unknown };
  return { log, messages: messages.map((message) => ({ ...message, name: undefined })) };
}

type Lines = (readonly unknown[])[];

/* oxlint-disable typescript/no-explicit-any -- as in MiroCase */
const OURS = {
  parse: (input: any): unknown => parseToolCalls(input),
  fix: ({ text, system_prompt }: any): unknown => fixServerNames(text, system_prompt),
  say: (text: any): unknown => ({ experience: experienceText(text), text: answerText(text) }),
  retain({ messages, keep }: any): unknown {
    const log: Lines = [];
    return { messages: retainToolResults(messages, keep, { log: (...line) => log.push(line) }), log };
  },
  mark(messages: any): unknown {
    const log: Lines = [];
    return { messages: applyCacheControl(messages, (...line) => log.push(line)), log };
  },
  guard({ history, summary, last_call, max_tokens, max_context_length }: any): unknown {
    const log: Lines = [];
    const guarded = ensureSummaryContext(history, summary, {
      lastCall: last_call,
      maxTokens: max_tokens,
      maxContextLength: max_context_length,
      countTokens: (text) => Array.from(text).length,
      log: (...line) => log.push(line),
    });
    return { continue: guarded.continues, history: guarded.history, log };
  },
  async process({ provider, response }: any): Promise<unknown> {
    const { client, log } = await standIn(
      provider === "openai" ? openAiProvider : anthropicProvider,
      () => 0,
    );
    const { text, shouldBreak, messageHistory } = client.processLlmResponse(response, [
      { role: "user", content: "t" },
    ]);
    return { text, should_break: shouldBreak, history: messageHistory, log };
  },
};
/* oxlint-enable typescript/no-explicit-any */
