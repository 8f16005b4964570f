import type { Again } from "../../core/overview/again.ts";
import type { Overview } from "../../core/overview/overview.ts";
import { savedMs, type Sums } from "../../core/overview/sums.ts";

/** The overview for programs. Costs are US dollars and estimates, times milliseconds; each says of how many it is known. */
export function overviewJson(overview: Overview): unknown {
  const { days, runs, sums, latest, providers, models, tests, recordings } = overview;
  const { again, unreadable, unused, blobs } = recordings;
  return {
    from: days.at(0)?.day ?? null,
    to: days.at(-1)?.day ?? null,
    runs,
    ...sumsJson(sums),
    days: days.map((day) => ({ day: day.day, runs: day.runs, ...sumsJson(day.sums) })),
    latest: latest.map(({ id, at, ms, mode, all }) => ({
      id,
      at: new Date(at).toISOString(),
      ms,
      mode,
      ...sumsJson(all),
    })),
    providers: providers.map((row) => ({ provider: row.provider, ...partJson(row) })),
    models: models.map((row) => ({ provider: row.provider, model: row.model ?? null, ...partJson(row) })),
    tests: tests.map((row) => ({ file: row.test.file, name: row.test.name, ...partJson(row) })),
    recordings: { again: againJson(again), unreadable, unused: unused ?? null, blobs },
  };
}

function partJson({ sums, again }: { readonly sums: Sums; readonly again: Again }): object {
  return { ...sumsJson(sums), again: againJson(again) };
}

function sumsJson(sums: Sums): object {
  const { outcomes, paid, paidMs, saved, timed } = sums;
  return {
    calls: outcomes,
    spent: { ...paid, ms: paidMs },
    saved: {
      costUsd: saved.costUsd,
      ms: savedMs(sums),
      tokens: saved.inputTokens + saved.outputTokens,
      pricedCalls: saved.calls - saved.unpricedCalls,
      timedCalls: timed,
    },
  };
}

function againJson({ recordings, bytes, costUsd, unpriced, ms, timed, ...tokens }: Again): object {
  return { recordings, bytes, costUsd, unpriced, ms, timed, ...tokens };
}
