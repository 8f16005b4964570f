import {
  chaosAnswer,
  ChaosChatProvider,
  chaosConfig,
  chaosConfigFromEnvironment,
  corruptedStream,
  MockChatProvider,
  type ChaosConfig,
} from "../../../src/systems/kosong/index.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { partFrom, shownPart, type Shorthand } from "./golden-parts.ts";

const golden = goldenFile("kosong-chaos");
const named = (prefix: string) => (row: GoldenRow) => row.name.startsWith(prefix);

golden.test("injected answers are the original's [KO-50]", {
  rows: named("http-"),
  run: ({ input }) => chaosAnswer(input.status, input.retry_after),
});

golden.test("a corrupted call loses only its last brace [KO-51]", {
  rows: named("corrupt-"),
  run: async ({ input }) => {
    const given = (input.parts as Shorthand[]).map(partFrom);
    const stream = await new MockChatProvider(given).generate({ systemPrompt: "", tools: [], history: [] });
    const config = chaosConfig({ corruptToolCallProbability: input.probability });
    const corrupted = corruptedStream(stream, config, { parts: () => 0.5 });
    const parts: unknown[] = [];
    for await (const part of corrupted) parts.push(shownPart(part));
    return { parts, id: corrupted.id, usage: corrupted.usage, trace_id: corrupted.traceId };
  },
});

golden.test("settings come from the environment [KO-49]", {
  rows: named("config-"),
  run: ({ input }) => shownConfig(chaosConfigFromEnvironment(input)),
});

function shownConfig(config: ChaosConfig): Record<string, unknown> {
  return {
    error_probability: config.errorProbability,
    error_types: config.errorTypes,
    retry_after: config.retryAfter,
    seed: config.seed,
    corrupt_tool_call_probability: config.corruptToolCallProbability,
  };
}

golden.test("a provider without a transport is refused [KO-52]", {
  rows: named("needs-http"),
  run: () => new ChaosChatProvider(new MockChatProvider([])),
});

golden.done();
