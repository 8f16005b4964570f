import { localize } from "../../core/base/localize.ts";
import type { CallEvent, MadeUp, Miss, TestRef } from "../../core/call/call.ts";
import {
  type BypassedCall,
  type Finding,
  type FindingKind,
  addFinding,
  bypassFinding,
  createFindingId,
  createFindingsOfCall,
} from "../../core/view/finding.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { getTestId } from "../../core/call/test-names.ts";
import type { UnreachedReason } from "../../server/why-unreached.ts";

/** A call without a recording. A mock may have answered it. */
export interface MissingCall extends Finding {
  readonly kind: "missing" | "made-up";
  readonly miss: Miss;
  readonly madeUp?: MadeUp;
  /** A rule can make it match its nearest recording in a field. It is known soon after the miss. */
  readonly hasRules?: true;
}

interface OtherFinding extends Finding {
  readonly kind: Exclude<FindingKind, MissingCall["kind"]>;
}

export type OpenFinding = MissingCall | OtherFinding;

export const isMissingCall = (finding: OpenFinding): finding is MissingCall => "miss" in finding;

/** Whether a rule can be proposed for a call. */
export const isRuled = (finding: OpenFinding): boolean => isMissingCall(finding) && finding.hasRules === true;

/** Calls without a recording, in the order of the list. */
export function listMissingCalls(
  findings: readonly OpenFinding[],
  kind: MissingCall["kind"] = "missing",
): readonly MissingCall[] {
  return findings.filter(isMissingCall).filter((one) => one.kind === kind);
}

/** Kinds of problems that occur before a response can be recorded. */
export const FAILURES: readonly FindingKind[] = ["failed", "bypassed", "unreached"];

export const isFailure = ({ kind }: Finding): boolean => FAILURES.includes(kind);

type TrackedFinding = OpenFinding & { readonly execution: string };

/** Maximum findings of one kind. Missing calls are not limited: each has to be recorded. */
const MOST = 200;

/** The open findings of a folder, and the only ways to change them. */
export class Findings {
  readonly #kept = new Map<string, TrackedFinding>();
  readonly #executions = createExecutions();
  readonly #changed: () => void;

  /** `changed` is called after changes that do not come from a call. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  /** Newest first. */
  get all(): readonly OpenFinding[] {
    return [...this.#kept.values()].reverse();
  }

  /** `stretch` identifies the execution of calls that do not report one. */
  addCall(event: CallEvent, stretch: number): void {
    const execution = event.test?.execution ?? `${event.run}/${stretch}`;
    this.#executions.seen(execution);
    const found = openFindings(event);
    const ids = new Set(found.map(({ id }) => id));
    const isOlder = (one: TrackedFinding): boolean => this.#executions.isBefore(one.execution, execution);
    this.#forget((one) => isResolvedBy(event, one, { isOlder, isFoundAgain: ids.has(one.id) }));
    for (const one of found) this.#keep(one, execution);
  }

  addBypassed(call: BypassedCall, at: number): void {
    this.#keep({ ...bypassFinding(call, at), kind: "bypassed" }, call.test?.execution);
  }

  addUnreached(test: TestRef | undefined, name: string, reason: UnreachedReason, at: number): void {
    this.#keep(unreachedTest(test, name, reason, at));
  }

  /** Removes the failures of tests that run again: those in `test`, or those without a test if it is undefined. */
  beginTest(test: TestRef | undefined): void {
    this.#forget(
      (one) => isFailure(one) && (test === undefined ? one.test === undefined : isWithin(one, test)),
    );
  }

  /** Removes the missing calls that tests no longer make, after they passed. `events`: the calls that they made. */
  endTest(test: TestRef, events: readonly CallEvent[]): void {
    const made = new Set<string | null>(events.map(({ key }) => key));
    this.#forget((one) => one.kind === "missing" && isWithin(one, test) && !made.has(one.key ?? null));
  }

  /** Removes missing calls that are answered now. */
  removeAnswered(isAnswered: (call: MissingCall) => boolean): void {
    this.#forget((one) => isMissingCall(one) && isAnswered(one));
  }

  /** Notes that rules can be proposed for the missing calls of a key. */
  noteRules(key: string): void {
    for (const [id, one] of this.#kept)
      if (isMissingCall(one) && one.key === key) this.#kept.set(id, { ...one, hasRules: true });
    this.#changed();
  }

  dismiss(findings: readonly Pick<Finding, "id">[]): void {
    for (const { id } of findings) this.#kept.delete(id);
    this.#changed();
  }

  /** Adds dismissed findings again, newest first, below the current ones. */
  restore(findings: readonly OpenFinding[]): void {
    const current = [...this.#kept.values()];
    const restored = findings.toReversed().map((one) => ({ ...one, execution: "" }));
    this.#kept.clear();
    for (const one of [...restored, ...current]) this.#kept.set(one.id, one);
    this.#changed();
  }

  #keep(finding: OpenFinding, execution = ""): void {
    const before = this.#kept.get(finding.id);
    const isNewest = before === undefined || this.#executions.isBefore(before.execution, execution);
    addFinding<TrackedFinding>(this.#kept, {
      ...finding,
      execution: isNewest ? execution : before.execution,
    });
    const surplus = surplusOf(finding.kind, this.#kept);
    if (surplus !== undefined) this.#kept.delete(surplus.id);
  }

  #forget(isOver: (one: TrackedFinding) => boolean): void {
    for (const [id, one] of this.#kept) if (isOver(one)) this.#kept.delete(id);
  }
}

/** Returns the oldest finding of a kind if there are more than the maximum. */
function surplusOf(kind: FindingKind, kept: ReadonlyMap<string, TrackedFinding>): TrackedFinding | undefined {
  if (kind === "missing") return undefined;
  const alike = [...kept.values()].filter((one) => one.kind === kind);
  return alike.length > MOST ? alike[0] : undefined;
}

/** Leaves out broken recordings, which have their own rows, and faults, which their run reports. */
function openFindings(event: CallEvent): readonly OpenFinding[] {
  return createFindingsOfCall(event, "editor").flatMap((finding): OpenFinding[] => {
    const { kind } = finding;
    const { miss, madeUp } = event;
    if (kind === "missing") return miss ? [{ ...finding, kind, miss }] : [];
    if (kind === "made-up") return madeUp ? [{ ...finding, kind, miss: madeUp.call, madeUp }] : [];
    return kind === "failed" ? [{ ...finding, kind }] : [];
  });
}

/**
 * A finding is resolved when its call is answered, or when its test runs again without it. A missing call stays while its
 * call fails. "No call reached Tapedeck" is resolved by the first call of its test.
 */
function isResolvedBy(
  { test, key, outcome }: CallEvent,
  one: TrackedFinding,
  {
    isOlder,
    isFoundAgain,
  }: { readonly isOlder: (one: TrackedFinding) => boolean; readonly isFoundAgain: boolean },
): boolean {
  const isOfTest = getTestId(one.test) === getTestId(test);
  if (one.kind === "unreached") return isOfTest || one.test === undefined;
  const isOfCall = one.key !== undefined && one.key === key;
  if (isOfCall && (outcome === "replayed" || outcome === "recorded")) return true;
  if (test === undefined || !isOfTest || isFoundAgain || !isOlder(one)) return false;
  return !isOfCall || isFailure(one);
}

function unreachedTest(
  test: TestRef | undefined,
  name: string,
  { reason, fix, cause, variable }: UnreachedReason,
  at: number,
): OtherFinding {
  return {
    id: createFindingId("unreached", "", test),
    kind: "unreached",
    brief: cause === "key" ? localize("no key") : localize("no call arrived"),
    label: name,
    what: localize("No call reached Tapedeck."),
    why: reason,
    fix,
    repair: cause === "key" ? "key" : "client",
    ...pickDefined({ provider: variable, test }),
    at,
    count: 1,
  };
}

/** Whether it belongs to a test, or to a test in that suite or file. */
function isWithin({ test }: Finding, other: TestRef): boolean {
  return test?.file === other.file && other.name.every((title, index) => test.name[index] === title);
}

const MOST_EXECUTIONS = 10_000;

function createExecutions() {
  const order = new Map<string, number>();
  let count = 0;
  return {
    seen(execution: string) {
      if (order.has(execution)) return;
      order.set(execution, (count += 1));
      const [oldest] = order.keys();
      if (order.size > MOST_EXECUTIONS && oldest !== undefined) order.delete(oldest);
    },
    /** Whether one was seen before another. An unknown one is older than all others. */
    isBefore: (one: string, other: string) => (order.get(one) ?? 0) < (order.get(other) ?? 0),
  };
}

/** Whether a file has a path, or is in the folder with that path. Both are relative to the workspace folder. */
export const isAtOrIn = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);
