import { addUsage, NO_USAGE, type Usage } from "../../client/reply.ts";
import type { MiroProvider, ProviderWording } from "./provider.ts";
import type { TaskLog } from "./log-format.ts";
import {
  addTokens,
  NO_LAST_CALL,
  NO_TOKENS,
  formatSummaryLines,
  type LastCallTokens,
  type TokenUsage,
} from "./usage.ts";

export interface Tally {
  readonly totals: TokenUsage;
  readonly lastCall: LastCallTokens;
  readonly usage: Usage;
  add(response: unknown, log: TaskLog): void;
  summary(model: string): { readonly lines: readonly string[]; readonly log: string };
}

const OPENAI_WORDING: ProviderWording = {
  usageLine: (totals, mapped) =>
    mapped && ["info", `Input: ${totals.total_input_tokens}, Output: ${totals.total_output_tokens}`],
  summaryCounts: (totals) => [
    `Total Input Tokens: ${totals.total_input_tokens}`,
    `Total Cache Input Tokens: ${totals.total_cache_read_input_tokens}`,
    `Total Output Tokens: ${totals.total_output_tokens}`,
  ],
  summaryLog: (totals) =>
    `Total Input: ${totals.total_input_tokens}, Cache Input: ${totals.total_cache_read_input_tokens}, Output: ${totals.total_output_tokens}`,
  resultMessage: (text) => ({ role: "user", content: text }),
};

export function getWording(provider: MiroProvider): ProviderWording {
  return { ...OPENAI_WORDING, ...provider.wording };
}

export function createTally(provider: MiroProvider): Tally {
  const wording = getWording(provider);
  let totals = NO_TOKENS;
  let lastCall = NO_LAST_CALL;
  let used = NO_USAGE;
  return {
    get totals() {
      return { ...totals };
    },
    get lastCall() {
      return lastCall;
    },
    get usage() {
      return used;
    },
    add(response, log) {
      const mapped = provider.mapUsage(response);
      if (mapped !== undefined) {
        totals = addTokens(totals, mapped.added);
        lastCall = mapped.lastCall;
        used = addUsage(used, mapped.usage);
      }
      const line = wording.usageLine(totals, mapped);
      if (line !== undefined) log(line[0], "LLM | Token Usage", line[1]);
    },
    summary: (model) => ({
      lines: formatSummaryLines(wording.summaryCounts(totals)),
      log: `[${model}] ${wording.summaryLog(totals)}`,
    }),
  };
}
