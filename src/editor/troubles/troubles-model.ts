import type { CallEvent, TestRef } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { describeUnanswered } from "../../core/unanswered.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { GuardNote } from "../../server/guard-notes.ts";
import { PASSED_MEND, passedText, type Unreached } from "../../server/why-unreached.ts";
import { renamedTest } from "../session/test-ref-model.ts";
import { testId } from "../session/usage-model.ts";

export const TROUBLE_KINDS = ["failed", "passed", "unreached"] as const;
export const REPAIRS = ["key", "address", "limits", "again", "client"] as const;

/** What went wrong before an answer could be kept, and has not been mended since. */
export interface Trouble {
  /** The same for the same trouble of the same test. */
  readonly id: string;
  /** A call that was refused or failed, one that passed by, or a test of which none came. */
  readonly kind: (typeof TROUBLE_KINDS)[number];
  /** The key of a call that failed. */
  readonly key?: string;
  readonly label: string;
  /** Why, in two or three words, where its label does not say so. */
  readonly brief?: string;
  readonly what: string;
  readonly why: string;
  readonly mend: string;
  readonly repair: (typeof REPAIRS)[number];
  readonly test?: TestRef;
  /** Whose key or address it is about: a provider's name, or the variable of its key. */
  readonly provider?: string;
  /** Milliseconds since the epoch, of the last time. */
  readonly at: number;
  readonly count: number;
}

interface Kept extends Trouble {
  readonly execution: string;
}

type PassedNote = Extract<GuardNote, { kind: "passed" }>;

/** The troubles of a session, and the only ways in which they change. */
export interface Troubles {
  /** Newest first. */
  readonly all: readonly Trouble[];
  called(event: CallEvent, stretch: number): void;
  passed(note: PassedNote, at: number): void;
  unreached(test: TestRef | undefined, name: string, reason: Unreached, at: number): void;
  /** Tests run again: those below `test`, or any where it is not known. */
  began(test: TestRef | undefined): void;
  dismissed(id: string): void;
  /** Troubles remembered from another window, newest first. What is known now stays. */
  recalled(troubles: readonly Trouble[]): void;
  /** Test files have another name, or are in a folder that has. */
  renamed(from: string, to: string): void;
}

/** So many are kept; the words come from processes. */
const MOST = 200;

export function createTroubles(): Troubles {
  const kept = new Map<string, Kept>();
  const keep = (trouble: Omit<Kept, "count">): void => {
    const count = (kept.get(trouble.id)?.count ?? 0) + 1;
    kept.delete(trouble.id);
    kept.set(trouble.id, { ...trouble, count });
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
  };
  const forget = (isMended: (one: Kept) => boolean): void => {
    for (const [id, one] of kept) if (isMended(one)) kept.delete(id);
  };
  return {
    get all() {
      return [...kept.values()].reverse();
    },
    called(event, stretch) {
      const execution = event.test?.execution ?? `${event.run}/${stretch}`;
      forget((one) => isMendedBy(event, one, execution));
      const failed = failedCall(event, execution);
      if (failed !== undefined) keep(failed);
    },
    passed: (note, at) => keep(passedCall(note, at)),
    unreached: (test, name, reason, at) => keep(unreachedTest(test, name, reason, at)),
    began: (test) =>
      forget((one) => (test === undefined ? one.test === undefined : isWithin(one.test, test))),
    dismissed: (id) => void kept.delete(id),
    recalled(troubles) {
      const now = [...kept];
      kept.clear();
      for (const one of troubles.toReversed()) kept.set(one.id, { ...one, execution: "" });
      for (const [id, one] of now) kept.set(id, one);
    },
    renamed(from, to) {
      for (const [id, one] of Array.from(kept)) {
        const test = one.test && renamedTest(one.test, from, to);
        if (test === undefined || one.test === undefined) continue;
        kept.delete(id);
        const now = id.slice(0, id.length - testOf(one.test).length) + testOf(test);
        kept.set(now, { ...one, id: now, test });
      }
    },
  };
}

type NewTrouble = Omit<Kept, "count">;

/** By an answer to its call, by any call where none came, and by another execution of its test. */
function isMendedBy(event: CallEvent, one: Kept, execution: string): boolean {
  const isOfTest = testOf(one.test) === testOf(event.test);
  if (one.kind === "unreached") return isOfTest || one.test === undefined;
  const isAnswered = event.outcome === "replayed" || event.outcome === "recorded";
  if (isAnswered && one.key === event.key) return true;
  return isOfTest && event.test !== undefined && one.execution !== execution;
}

function failedCall(event: CallEvent, execution: string): NewTrouble | undefined {
  const told = describeUnanswered(event);
  if (told === undefined) return undefined;
  const { key, label, provider, at, test } = event;
  return {
    ...told,
    id: `failed ${key ?? `${provider} ${label}`} ${testOf(test)}`,
    kind: "failed",
    label: `"${label}"`,
    provider,
    ...pickDefined({ test }),
    ...(key !== null && { key }),
    at,
    execution,
  };
}

function passedCall(note: PassedNote, at: number): NewTrouble {
  const { host, reason, mend, test } = note;
  return {
    id: `passed ${host} ${reason} ${testOf(test)}`,
    kind: "passed",
    label: host,
    what:
      mend === undefined ? `A call to ${host} passed Tapedeck by.` : `Tapedeck refused a call to ${host}.`,
    why: mend === undefined ? passedText({ ...note, times: 1 }) : visibleLine(reason),
    mend: mend ?? PASSED_MEND,
    repair: "client",
    ...pickDefined({ test }),
    at,
    execution: test?.execution ?? "",
  };
}

function unreachedTest(
  test: TestRef | undefined,
  name: string,
  { why, mend, cause, variable }: Unreached,
  at: number,
): NewTrouble {
  return {
    id: `unreached ${testOf(test)}`,
    kind: "unreached",
    brief: cause === "key" ? "no key" : "no call came",
    label: name,
    what: "No call reached Tapedeck.",
    why,
    mend,
    repair: cause === "key" ? "key" : "client",
    ...pickDefined({ provider: variable, test }),
    at,
    execution: "",
  };
}

const testOf = (test: TestRef | undefined): string => (test === undefined ? "" : testId(test));

/** Whether a test is another one, or in that suite or file. */
function isWithin(test: TestRef | undefined, other: TestRef): boolean {
  return test?.file === other.file && other.name.every((title, index) => test.name[index] === title);
}
