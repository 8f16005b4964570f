import { pythonRepr } from "../../python/repr.ts";
import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { TaskLog } from "./log-format.ts";
import type { LastCallTokens } from "./usage.ts";

export interface GuardOptions {
  readonly lastCall: LastCallTokens;
  readonly maxTokens: number;
  readonly maxContextLength: number;
  readonly countTokens: (text: string) => number;
  readonly log?: TaskLog;
}

/** Whether there is room for a summary, and the conversation that leaves it. */
export interface Guarded {
  readonly continues: boolean;
  readonly history: readonly Fields[];
}

const BUFFER_FACTOR = 1.5;
const BUFFER_TOKENS = 1000;

/** Takes the last turn back where the next request would not fit the model any more. What is given is not changed. */
export function ensureSummaryContext(
  history: readonly Fields[],
  summaryPrompt: string,
  options: GuardOptions,
): Guarded {
  const { lastCall, maxTokens, maxContextLength, log } = options;
  const last = history.at(-1);
  const asked = last?.["role"] === "user" ? buffered(shownText(last["content"]), options) : 0;
  const [before, answered] = [
    lastCall["input_tokens"] ?? lastCall["prompt_tokens"] ?? 0,
    lastCall["output_tokens"] ?? lastCall["completion_tokens"] ?? 0,
  ];
  const estimate = before + answered + asked + buffered(summaryPrompt, options) + maxTokens + BUFFER_TOKENS;
  if (estimate < maxContextLength) {
    log?.("info", "LLM | Context Limit Not Reached", `${estimate}/${maxContextLength}`);
    return { continues: true, history };
  }
  const step = "LLM | Context Limit Reached";
  log?.("info", step, "Context limit reached, proceeding to step back and summarize the conversation");
  const left = [...history];
  if (left.at(-1)?.["role"] === "user") left.pop();
  if (left.at(-1)?.["role"] === "assistant") left.pop();
  log?.("info", step, `Removed the last assistant-user pair, current message_history length: ${left.length}`);
  return { continues: false, history: left };
}

function buffered(text: string, { countTokens, log }: GuardOptions): number {
  let tokens: number;
  try {
    tokens = countTokens(text);
  } catch (error) {
    log?.(
      "error",
      "LLM | Token Estimation Error",
      `Error: ${error instanceof Error ? error.message : String(error)}`,
    );
    tokens = Math.floor(Array.from(text).length / 4);
  }
  return Math.trunc(BUFFER_FACTOR * tokens);
}

function shownText(content: unknown): string {
  return typeof content === "string" ? content : pythonRepr(content ?? null);
}
