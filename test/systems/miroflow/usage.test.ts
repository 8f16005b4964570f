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
    instead: {
      "MF-D5": ({ expected }) => ({
        ...expected,
        summary_lines: expected.summary_lines.with(2, "Total Cache Input Tokens: 4"),
        summary_log: "[m] Total Input: 20, Cache Input: 4, Output: 10",
      }),
      "MF-D6": nullsCountNothing,
    },
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
  instead: {
    "MF-D7": ({ input, expected }) =>
      input.keep_tool_result === -1
        ? expected
        : {
            sent: input.messages.map((message: { role: string; content: string }) =>
              message.role !== "user" ||
              message.content === "task" ||
              (input.keep_tool_result === 2 && message.content !== "r1")
                ? message
                : { ...message, content: "Tool result is omitted to save tokens." },
            ),
          },
  },
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

function nullsCountNothing({ input }: GoldenRow): unknown {
  const isOpenAi = input.provider === "openai";
  const [input1, output1] = isOpenAi ? [0, 1] : [10, 5];
  const rule = "-".repeat(20);
  const total = {
    total_input_tokens: input1,
    total_output_tokens: output1,
    total_cache_write_input_tokens: 0,
    total_cache_read_input_tokens: 0,
  };
  const [counts, summary, line] = isOpenAi
    ? [["Total Input Tokens: 0", "Total Cache Input Tokens: 0"], "Cache Input: 0", "Input: 0, Output: 1"]
    : [
        [
          "Total Input Tokens (non-cache): 10",
          "Total Cache Creation Input Tokens: 0",
          "Total Cache Read Input Tokens: 0",
        ],
        "Cache Creation: 0, Cache Read: 0",
        "Input: 10, Cache: 0+0, Output: 5",
      ];
  const pricing = "Pricing is disabled - no cost information available";
  return {
    steps: [
      {
        total,
        last_call: isOpenAi
          ? { prompt_tokens: 0, completion_tokens: 1 }
          : { input_tokens: 10, output_tokens: 5 },
        log: [["info", "LLM | Token Usage", line]],
      },
    ],
    summary_lines: [
      `\n${rule} Token Usage ${rule}`,
      ...counts,
      `Total Output Tokens: ${output1}`,
      "-".repeat(53),
      pricing,
      "-".repeat(53),
    ],
    summary_log: `[m] Total Input: ${input1}, ${summary}, Output: ${output1}`,
    get_is_a_copy: true,
  };
}
