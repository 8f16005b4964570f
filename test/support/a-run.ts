import type { RunCall, RunRecord } from "../../src/core/view/run-record/run-record.ts";

/** A replayed call of one millisecond at the start of its run, with these changes. */
export function aRunCall(label: string, changes: Partial<RunCall> = {}): RunCall {
  return {
    at: 0,
    ms: 1,
    outcome: "replayed",
    provider: "openai",
    operation: "chat.completions",
    model: "gpt-4o-mini",
    label,
    test: { file: "tests/agent.test.ts", name: ["agent", "finds the order"], line: 7 },
    key: `sha256:${Buffer.from(label).toString("hex").padEnd(64, "0")}`,
    ...changes,
  };
}

export function aRun(calls: readonly RunCall[], changes: Partial<RunRecord> = {}): RunRecord {
  return {
    id: "1800000000000-0a1b2c3d",
    startedAt: 1_800_000_000_000,
    mode: "strict",
    source: "command",
    title: "npm test",
    calls,
    ...changes,
  };
}

const OUTCOMES = ["replayed", "recorded", "miss", "forwarded", "refused", "defaulted"] as const;

/** A run of `count` calls, five for each test, with every outcome. */
export function aLongRun(count: number): RunRecord {
  const calls = Array.from({ length: count }, (_, index) => {
    const outcome = OUTCOMES[index % OUTCOMES.length] ?? "replayed";
    const isLive = outcome === "recorded" || outcome === "forwarded";
    const took = 500 + (index % 7) * 250;
    const isKnown = outcome === "recorded" || outcome === "replayed";
    return aRunCall(`Where is my order A-${1000 + index}?`, {
      at: index * 40,
      ms: isLive ? took : 1.5,
      outcome,
      test: {
        file: `tests/agent-${Math.floor(index / 50)}.test.ts`,
        name: ["agent", `question ${Math.floor(index / 5)}`],
        line: 3,
      },
      ...(isLive && { firstByteMs: 200 }),
      ...(outcome === "miss" && { note: "temperature 0.2 → 0.7", status: 404 }),
      ...(isKnown && {
        entry: `calls/openai/00/${String(index).padStart(64, "0")}.json`,
        tokens: { input: 1_200, output: 80, cached: 1_024 },
        costUsd: 0.0012,
        recorded: {
          ms: took,
          firstByteMs: 200,
        },
      }),
    });
  });
  return aRun(calls);
}
