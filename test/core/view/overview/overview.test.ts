import { expect, it } from "vitest";
import {
  buildOverview,
  sumSavedMs,
  type OverviewParts,
} from "../../../../src/core/view/overview/overview.ts";
import { renderOverview } from "../../../../src/core/view/overview/overview-document.ts";
import type { RunCall } from "../../../../src/core/view/run-record/run-record.ts";
import { aRun, aRunCall } from "../../../support/a-run.ts";

const chat = { file: "chat.test.ts", name: ["chat", "answers"] };
const DAYS: Readonly<Record<number, string>> = { 1: "2026-11-22", 2: "2026-11-23", 3: "2026-01-01" };

function aCall(changes: Partial<RunCall>): RunCall {
  return aRunCall("Hi", { model: "gpt-4o", test: chat, ...changes });
}

function anOverview(parts: Partial<OverviewParts> = {}) {
  return buildOverview({
    days: ["2026-11-22", "2026-11-23"],
    runs: [],
    dayOf: (at) => DAYS[at] ?? "",
    upstreamOf: (provider) => (provider === "ollama" ? "http://127.0.0.1:11434" : undefined),
    ...parts,
  });
}

const run = (startedAt: number, ...calls: readonly RunCall[]) =>
  aRun(calls, { startedAt, id: `run of ${DAYS[startedAt] ?? ""}` });
const textOf = (parts: Partial<OverviewParts>): string =>
  renderOverview(anOverview(parts), { timeOf: (at) => `${DAYS[at] ?? ""} 10:00` }).text;

it("reads as one page: the period, its days, models, and runs", () => {
  const replayed = aCall({
    ms: 2,
    tokens: { input: 900, output: 100 },
    costUsd: 0.5,
    recorded: { ms: 1_500 },
  });
  const recorded = aCall({ outcome: "recorded", at: 50, ms: 700, costUsd: 0.25, tokens: { input: 9 } });

  const page = textOf({
    runs: [
      run(1, recorded),
      run(2, replayed, aCall({ tokens: { input: 1 } }), aCall({ outcome: "miss", model: "o3" })),
      run(3, replayed),
    ],
  });

  expect(page).toBe(`Last 2 days, 2 runs: 2 replayed · 1 sent · 1 missing
    Saved money: about $0.50. The cost of 1 of 2 replayed calls when they were recorded, by list prices.
    Saved time: about 1.5 s. The duration of 1 of 2 replayed calls when they were recorded, minus the replay time.
    Spent: 1 call, 9 tokens, about $0.25.

── day by day ───
2026-11-23   1 run   saved $0.50                 ████████████████░░░░░░░░ 2 replayed · 1 missing
2026-11-22   1 run                 spent $0.25   ░░░░░░░░ 0 replayed · 1 sent

── by model ───
                replayed   sent   missing   saved         spent
openai gpt-4o   2          1      0         about $0.50   about $0.25
openai o3       0          0      1         nothing       nothing

── runs ───
2026-11-23 10:00   strict   2 ms     2 replayed · 1 missing
2026-11-22 10:00   strict   750 ms   0 replayed · 1 sent
`);
});

it("reports that a folder has no runs", () => {
  expect(textOf({})).toBe("Last 2 days: no runs on this machine.\n");
});

it("leads from a name to its calls, and from a run to its timeline", () => {
  const { links } = renderOverview(anOverview({ runs: [run(2, aCall({}))] }), { timeOf: String });

  expect(links.map(({ target }) => target)).toEqual([
    { kind: "calls", provider: "openai", model: "gpt-4o" },
    { kind: "run", id: "run of 2026-11-23" },
  ]);
});

it("keeps text from other sources on one line and visible", () => {
  const page = textOf({ runs: [run(2, aCall({ model: "a\n── runs ───\u202e" }))] });

  expect(page).toContain(String.raw`openai a ── runs ───\u{202e}`);
});

it("counts calls to this machine as free, and never reports negative time saved by replaying", () => {
  const { sums, models } = anOverview({
    runs: [
      run(2, aCall({ tokens: { input: 1 }, ms: 50, recorded: { ms: 10 } }), {
        ...aCall({ provider: "ollama", tokens: { input: 1 } }),
      }),
    ],
  });

  expect(models.map(({ provider, sums: own }) => [provider, own.saved.unpricedCalls])).toEqual([
    ["openai", 1],
    ["ollama", 0],
  ]);
  expect(sumSavedMs(sums)).toBe(0);
});
