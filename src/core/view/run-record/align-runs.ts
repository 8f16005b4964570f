import { localize } from "../../base/localize.ts";
import { groupBy } from "../../base/group-by.ts";
import { describeOutcome, type RunCall, type RunTest } from "./run-record.ts";
import { getTestId } from "../../call/test-names.ts";

/** Two calls at the same position of a test in two runs. One is absent if its run has fewer calls. */
export interface Step {
  readonly first?: RunCall;
  readonly second?: RunCall;
  /** "departs" is the first position at which the runs differ; "after" is any later position. */
  readonly relation: "same" | "departs" | "after";
}

/** The calls of a test in two runs. */
export interface AlignedTest {
  /** The id that `getTestId` returns. */
  readonly id: string;
  readonly test?: RunTest;
  readonly steps: readonly Step[];
  /** The first step that departs; absent if all steps are the same. */
  readonly departure?: Step;
}

/** Aligns two runs by test, in the order of the first run. Tests that only the second run has are last. */
export function alignRuns(first: readonly RunCall[], second: readonly RunCall[]): readonly AlignedTest[] {
  const ours = byTest(first);
  const others = byTest(second);
  const ids = [...new Set([...ours.keys(), ...others.keys()])];
  return ids.map((id) => {
    const [a, b] = [ours.get(id) ?? [], others.get(id) ?? []];
    const test = (a[0] ?? b[0])?.test;
    const steps = stepsOf(a, b);
    const departure = steps.find(({ relation }) => relation === "departs");
    return { id, steps, ...(test && { test }), ...(departure && { departure }) };
  });
}

function byTest(calls: readonly RunCall[]): ReadonlyMap<string, readonly RunCall[]> {
  return new Map(
    groupBy(calls, ({ test }) => getTestId(test)).map((group) => [getTestId(group[0]?.test), group]),
  );
}

function stepsOf(first: readonly RunCall[], second: readonly RunCall[]): readonly Step[] {
  const left = [...second];
  const steps: Step[] = [];
  let hasDeparted = false;
  for (const call of first) {
    const at: number = hasDeparted ? 0 : indexOfAlike(call, left);
    const other: RunCall | undefined = left.splice(at, 1)[0];
    const isSame: boolean = !hasDeparted && other !== undefined && isAlike(call, other);
    const relation = hasDeparted ? "after" : isSame ? "same" : "departs";
    hasDeparted ||= !isSame;
    steps.push({ first: call, ...(other && { second: other }), relation });
  }
  return [
    ...steps,
    ...left.map((call, index): Step => {
      const isFirst = !hasDeparted && index === 0;
      return { second: call, relation: isFirst ? "departs" : "after" };
    }),
  ];
}

/** Returns the index of the matching call. Concurrent calls can arrive in any order, so all of them are compared. */
function indexOfAlike(call: RunCall, left: readonly RunCall[]): number {
  const [next] = left;
  if (next === undefined || isAlike(call, next)) return 0;
  const end = next.at + next.ms;
  const among = left.findIndex((other) => other.at >= end);
  const together = among < 0 ? left : left.slice(0, among);
  return Math.max(
    0,
    together.findIndex((other) => isAlike(call, other)),
  );
}

/** Returns whether two calls have the same request and are both answered or both unanswered. */
const isAlike = (a: RunCall, b: RunCall): boolean => isSameRequest(a, b) && isAnswered(a) === isAnswered(b);

function isSameRequest(a: RunCall, b: RunCall): boolean {
  if (a.key !== undefined && b.key !== undefined) return a.key === b.key;
  return a.provider === b.provider && a.operation === b.operation && a.label === b.label;
}

const isAnswered = ({ outcome }: RunCall): boolean => outcome !== "miss" && outcome !== "refused";

/** Returns lines that describe the differences at a step, as far as the run records show them. */
export function formatDeparture({ first, second }: Step): readonly string[] {
  if (second === undefined) return [localize("the second run ends here")];
  if (first === undefined) return [localize("the first run ends here")];
  const lines = [
    changeOf(localize("provider"), first.provider, second.provider),
    changeOf(localize("operation"), first.operation, second.operation),
    changeOf(localize("model"), first.model ?? localize("none"), second.model ?? localize("none")),
    changeOf(localize("prompt"), `“${first.label}”`, `“${second.label}”`),
    describeOutcomeChange(first, second),
  ].filter((line) => line !== undefined);
  if (second.outcome === "miss" && second.note !== undefined) lines.push(second.note);
  return lines.length > 0 ? lines : [localize("a part of the request that the row does not show")];
}

/** Returns a line if the call is answered in only one of the runs. */
export function describeOutcomeChange(first: RunCall, second: RunCall): string | undefined {
  if (isAnswered(first) === isAnswered(second)) return undefined;
  return changeOf(localize("response"), describeOutcome(first.outcome), describeOutcome(second.outcome));
}

function changeOf(what: string, before: string, after: string): string | undefined {
  return before === after ? undefined : `${what} ${before} → ${after}`;
}
