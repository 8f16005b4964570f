import { NOTHING_SPENT, ONE_CALL, type Spending } from "../budget/spending.ts";
import type { Mode } from "../call.ts";
import type { RunCall, RunRecord } from "../run-record/run-record.ts";
import type { UsageTest } from "../usage/usage.ts";
import { addSums, NO_OUTCOMES, NO_SUMS, type Sums } from "./sums.ts";
import { leavesMachine } from "../protocol/upstream-address.ts";
import { pickDefined } from "../pick-defined.ts";
import { testId } from "../test-names.ts";

/** What one run came to, altogether and by what was called and who called. */
export interface RunSums {
  readonly id: string;
  /** Of its first call, in milliseconds since the epoch. */
  readonly at: number;
  /** From there to the end of its last call. */
  readonly ms: number;
  readonly mode: Mode;
  readonly all: Sums;
  readonly models: readonly ModelSums[];
  /** Calls of no known test are in none of them. */
  readonly tests: readonly TestSums[];
}

export interface ModelSums {
  readonly provider: string;
  /** Absent for calls that name none. */
  readonly model?: string;
  readonly sums: Sums;
}

export interface TestSums {
  readonly test: UsageTest;
  readonly sums: Sums;
}

/** `upstreamOf`: a provider's address, where it has one. Calls to this machine are free. */
export function sumsOfRun(
  run: RunRecord,
  upstreamOf: (provider: string) => string | undefined = () => undefined,
): RunSums {
  const isFree = (provider: string): boolean => {
    const upstream = upstreamOf(provider);
    return upstream !== undefined && !leavesMachine(upstream);
  };
  const models = new Map<string, ModelSums>();
  const tests = new Map<string, TestSums>();
  let all = NO_SUMS;
  let ms = 0;
  for (const call of run.calls) {
    const sums = sumsOfCall(call, isFree(call.provider));
    all = addSums(all, sums);
    ms = Math.max(ms, call.at + call.ms);
    addTo(models, idOfModel(call), { ...namesOf(call), sums });
    const { test } = call;
    if (test) addTo(tests, testId(test), { test: { file: test.file, name: test.name }, sums });
  }
  const { id, startedAt: at, mode } = run;
  return { id, at, ms, mode, all, models: [...models.values()], tests: [...tests.values()] };
}

/** Adds to what has the same name. */
export function addTo<T extends { readonly sums: Sums }>(known: Map<string, T>, name: string, one: T): void {
  const before = known.get(name);
  known.set(name, before ? { ...one, sums: addSums(before.sums, one.sums) } : one);
}

export function idOfModel({ provider, model = "" }: Pick<ModelSums, "provider" | "model">): string {
  return `${provider}\n${model}`;
}

function namesOf({ provider, model }: RunCall): Pick<ModelSums, "provider" | "model"> {
  return { provider, ...pickDefined({ model }) };
}

function sumsOfCall(call: RunCall, isFree: boolean): Sums {
  const { outcome, ms, recorded } = call;
  const sums = { ...NO_SUMS, outcomes: { ...NO_OUTCOMES, [outcome]: 1 } };
  if (outcome === "recorded" || outcome === "forwarded")
    return { ...sums, paid: spendingOf(call, isFree) ?? ONE_CALL, paidMs: ms };
  if (outcome !== "replayed") return sums;
  return {
    ...sums,
    saved: spendingOf(call, isFree) ?? NOTHING_SPENT,
    ...(recorded && { timed: 1, recordedMs: recorded.ms, replayedMs: ms }),
  };
}

/** Undefined where neither tokens nor a cost are known. */
function spendingOf({ tokens, costUsd }: RunCall, isFree: boolean): Spending | undefined {
  if (tokens === undefined && costUsd === undefined) return undefined;
  return {
    ...ONE_CALL,
    inputTokens: tokens?.input ?? 0,
    outputTokens: tokens?.output ?? 0,
    costUsd: costUsd ?? 0,
    unpricedCalls: costUsd === undefined && !isFree ? 1 : 0,
  };
}
