import { writePythonRepr } from "../../client/python/write.ts";
import type { Fields } from "../../core/base/lenient.ts";
import type { TaskLog } from "./log-format.ts";
import type { LastCallTokens } from "./usage.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

export interface GuardOptions {
  readonly lastCall: LastCallTokens;
  readonly maxTokens: number;
  readonly maxContextLength: number;
  readonly countTokens: (text: string) => number;
  readonly log?: TaskLog;
}

/** Whether the context has room for a summary, and the conversation that leaves this room. */
export interface GuardResult {
  readonly continues: boolean;
  readonly history: readonly Fields[];
}

/** Removes the last turn if the next request would exceed the context of the model. Returns copies. */
export function ensureSummaryContext(
  history: readonly Fields[],
  summaryPrompt: string,
  options: GuardOptions,
): GuardResult {
  const { lastCall, maxTokens, maxContextLength, countTokens, log } = options;
  const last = history.at(-1);
  const userTexts = last?.["role"] === "user" ? [shownText(last["content"])] : [];
  const before = lastCall["input_tokens"] ?? lastCall["prompt_tokens"] ?? 0;
  const answered = lastCall["output_tokens"] ?? lastCall["completion_tokens"] ?? 0;
  const known = before + answered + maxTokens;
  const estimate = countNeededTokens(known, [...userTexts, summaryPrompt], countTokens, (error) =>
    log?.("error", "LLM | Token Estimation Error", `Error: ${describeThrown(error)}`),
  );
  if (estimate < maxContextLength) {
    log?.("info", "LLM | Context Limit Not Reached", `${estimate}/${maxContextLength}`);
    return { continues: true, history };
  }
  const step = "LLM | Context Limit Reached";
  log?.("info", step, "Context limit reached, proceeding to step back and summarize the conversation");
  const left = rolledBack(history);
  log?.("info", step, `Removed the last assistant-user pair, current message_history length: ${left.length}`);
  return { continues: false, history: left };
}

function shownText(content: unknown): string {
  return typeof content === "string" ? content : writePythonRepr(content ?? null);
}

/** Adds 1.5 times the tokens of texts and a reserve of 1000 to known tokens. If a count fails, four characters are one token. */
function countNeededTokens(
  known: number,
  texts: readonly string[],
  count: (text: string) => number,
  onFailure: (error: unknown) => void,
): number {
  const countText = (text: string): number => {
    try {
      return count(text);
    } catch (error) {
      onFailure(error);
      return Math.floor(Array.from(text).length / 4);
    }
  };
  return texts.reduce((sum, text) => sum + Math.trunc(1.5 * countText(text)), known + 1000);
}

/** Removes the last user message and the answer before it, so that the rest can be summarized. */
function rolledBack(messages: readonly Fields[]): readonly Fields[] {
  const withoutUser = messages.at(-1)?.["role"] === "user" ? messages.slice(0, -1) : [...messages];
  return withoutUser.at(-1)?.["role"] === "assistant" ? withoutUser.slice(0, -1) : withoutUser;
}
