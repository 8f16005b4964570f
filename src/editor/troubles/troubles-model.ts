import type { CallEvent, TestRef } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import {
  addFinding,
  bypassFinding,
  findingId,
  findingsOfCall,
  type BypassedCall,
  type Finding,
} from "../../core/finding.ts";
import type { Unreached } from "../../server/why-unreached.ts";
import { renamedTest } from "../session/test-ref-model.ts";
import { testId } from "../../core/test-names.ts";

interface Kept extends Finding {
  readonly execution: string;
}

/** The troubles of a session, and the only ways in which they change. */
export interface Troubles {
  /** Newest first. */
  readonly all: readonly Finding[];
  called(event: CallEvent, stretch: number): void;
  passed(note: BypassedCall, at: number): void;
  unreached(test: TestRef | undefined, name: string, reason: Unreached, at: number): void;
  /** Tests run again: those below `test`, or any where it is not known. */
  began(test: TestRef | undefined): void;
  dismissed(id: string): void;
  /** Troubles remembered from another window, newest first. What is known now stays. */
  recalled(troubles: readonly Finding[]): void;
  /** Test files have another name, or are in a folder that has. */
  renamed(from: string, to: string): void;
}

/** So many are kept; the words come from processes. */
const MOST = 200;

export function createTroubles(): Troubles {
  const kept = new Map<string, Kept>();
  const keep = (trouble: Kept): void => addFinding(kept, trouble, MOST);
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
    passed: (note, at) => keep({ ...bypassFinding(note, at), execution: note.test?.execution ?? "" }),
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
        const now = id.slice(0, id.length - testId(one.test).length) + testId(test);
        kept.set(now, { ...one, id: now, test });
      }
    },
  };
}

/** By an answer to its call, by any call where none came, and by another execution of its test. */
function isMendedBy(event: CallEvent, one: Kept, execution: string): boolean {
  const isOfTest = testId(one.test) === testId(event.test);
  if (one.kind === "unreached") return isOfTest || one.test === undefined;
  const isAnswered = event.outcome === "replayed" || event.outcome === "recorded";
  if (isAnswered && one.key === event.key) return true;
  return isOfTest && event.test !== undefined && one.execution !== execution;
}

function failedCall(event: CallEvent, execution: string): Kept | undefined {
  const failed = findingsOfCall(event, "editor").find(({ kind }) => kind === "failed");
  return failed && { ...failed, execution };
}

function unreachedTest(
  test: TestRef | undefined,
  name: string,
  { why, mend: fix, cause, variable }: Unreached,
  at: number,
): Kept {
  return {
    id: findingId("unreached", "", test),
    kind: "unreached",
    brief: cause === "key" ? "no key" : "no call came",
    label: name,
    what: "No call reached Tapedeck.",
    why,
    fix,
    repair: cause === "key" ? "key" : "client",
    ...pickDefined({ provider: variable, test }),
    at,
    count: 1,
    execution: "",
  };
}

/** Whether a test is another one, or in that suite or file. */
function isWithin(test: TestRef | undefined, other: TestRef): boolean {
  return test?.file === other.file && other.name.every((title, index) => test.name[index] === title);
}
