import { expect, test } from "vitest";
import { anthropicProvider } from "../../../src/systems/miroflow/anthropic-provider.ts";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import { retainToolResults } from "../../../src/systems/miroflow/retention.ts";
import { anthropicUsage, createUsageLog, openAiUsage } from "../../../src/systems/miroflow/usage.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { config, plain, standIn } from "./stand-in.ts";

const golden = goldenFile("miroflow-usage");

golden.test(
  "totals, the last call and the summary are MiroFlow's [MF-16, MF-17, MF-18, MF-19, MF-20, MF-21, MF-D5, MF-D6]",
  {
    rows: ({ input }) => input.provider !== undefined,
    run: tally,
  },
);

golden.test("the older client's usage line can be reset [MF-22]", {
  rows: ({ name }) => /^miroflow-main-(?:two|no)/.test(name),
  run({ input }) {
    const usage = createUsageLog("P", "m");
    for (const one of input.usages) usage.add(one === "$no_usage" ? {} : { usage: plain(one) });
    const { cached, output, reasoning } = usage;
    const log = String(usage);
    const counted = { input: usage.input, cached, output, reasoning, log };
    usage.reset();
    return { ...counted, after_reset: String(usage) };
  },
});

golden.test("a conversation is never cut before its results are left out [MF-D7]", {
  rows: ({ name }) => name.startsWith("miroflow-main-history-cut"),
  run: ({ input }) => ({ sent: retainToolResults(input.messages, input.keep_tool_result) }),
});
golden.done();

test("usage means the same for every provider: cached input does not count as uncached [MF-I8]", () => {
  const openAi = openAiUsage({
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  });
  const anthropic = anthropicUsage({ input_tokens: 6, output_tokens: 5, cache_read_input_tokens: 4 });
  const meaning = { uncachedInputTokens: 6, cacheReadTokens: 4, cacheWriteTokens: 0, outputTokens: 5 };

  expect(openAi?.usage).toMatchObject({ ...meaning, reasoningTokens: 2 });
  expect(anthropic?.usage).toMatchObject(meaning);
  expect(anthropic?.usage.raw).toMatchObject({ input_tokens: 6 });
});

async function tally({ input }: GoldenRow): Promise<unknown> {
  const provider = input.provider === "openai" ? openAiProvider : anthropicProvider;
  const usages = [...input.usages];
  const answer = (): object => ({
    choices: [{ finish_reason: "stop", message: { content: "x" } }],
    content: [],
    usage: usages.shift(),
  });
  const { client, log } = await standIn(provider, answer, { cfg: config({ provider: input.provider }) });
  const steps = [];
  for (const _ of input.usages) {
    log.length = 0;
    await client.createMessage({ systemPrompt: "", messageHistory: [{ role: "user", content: "x" }] });
    steps.push({
      total: client.getTokenUsage(),
      last_call: client.lastCallTokens,
      log: log.filter(([, step]) => step === "LLM | Token Usage"),
    });
  }
  const summary = client.formatTokenUsageSummary();
  const isCopy = client.getTokenUsage() !== client.getTokenUsage();
  return { steps, summary_lines: summary.lines, summary_log: summary.log, get_is_a_copy: isCopy };
}
