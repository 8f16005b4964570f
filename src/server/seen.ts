import type { BypassedCall } from "../core/finding.ts";
import { pickDefined } from "../core/pick-defined.ts";
import type { GuardNote } from "./guard-notes.ts";

/** What a run knows of processes, by their own hooks. Of one without hooks it knows nothing. */
export interface Seen {
  /** Processes with hooks that said so when they started; of all that ended before they could say which, one is counted. */
  readonly processes: number;
  /** Calls to a provider that Tapedeck neither answered nor kept. */
  readonly passed: readonly PassedCall[];
  /** Libraries that answer calls in the place of a provider, each once. */
  readonly mockedBy: readonly string[];
  /** Hosts of nobody known here to which calls as to a model went: addresses that tests gave to their clients. */
  readonly elsewhere: readonly string[];
  /** Hosts to which connections went that asked no model, the most frequent first. */
  readonly left: readonly LeftConnections[];
  /** Whether the run's processes had no network but the server. */
  readonly isSealed?: boolean;
}

/** Connections of one process to one host, for one reason and test. */
export interface PassedCall extends BypassedCall {
  readonly times: number;
}

/** Connections to one host that asked no model. */
export interface LeftConnections {
  readonly host: string;
  readonly times: number;
  /** How many more were refused because the run blocks the network. */
  readonly refused: number;
}

export const NOTHING_SEEN: Seen = { processes: 0, passed: [], mockedBy: [], elsewhere: [], left: [] };

/** Of more of them only the number of times counts up: the words come from processes. */
const MOST = 200;

export interface SeenSoFar {
  note(note: GuardNote): void;
  /** Of a call that no hooks told of. */
  passed(call: Omit<PassedCall, "times">): void;
  hasHooks(pid: number): boolean;
  whole(): Seen;
}

export function createSeen(): SeenSoFar {
  const processes = new Set<number>();
  let isAnyThere = false;
  const passed = new Map<string, PassedCall>();
  const mockedBy = new Set<string>();
  const elsewhere = new Set<string>();
  const left = new Map<string, LeftConnections>();
  const addPassed = ({ host, pid, command, reason, mend, test }: Omit<PassedCall, "times">): void => {
    const name = JSON.stringify([host, pid, reason, test?.file, test?.name]);
    const known = passed.get(name);
    if (known === undefined && passed.size >= MOST) return;
    const times = (known?.times ?? 0) + 1;
    passed.set(name, {
      host,
      ...(pid !== undefined && command !== undefined && { pid, command }),
      reason,
      ...pickDefined({ mend, test }),
      times,
    });
  };
  const addLeft = ({ host, isRefused }: { readonly host: string; readonly isRefused: boolean }): void => {
    const known = left.get(host) ?? { host, times: 0, refused: 0 };
    if (known.times + known.refused === 0 && left.size >= MOST) return;
    const more = isRefused ? { refused: known.refused + 1 } : { times: known.times + 1 };
    left.set(host, { ...known, ...more });
  };
  return {
    note(note) {
      if (note.kind === "hello") isAnyThere = true;
      if (note.pid !== undefined) processes.add(note.pid);
      if (note.kind === "mocked" && mockedBy.size < MOST) mockedBy.add(note.by);
      if (note.kind === "elsewhere" && elsewhere.size < MOST) elsewhere.add(note.host);
      if (note.kind === "passed") addPassed(note);
      if (note.kind === "left") addLeft(note);
    },
    passed: addPassed,
    hasHooks: (pid) => processes.has(pid),
    whole: () => ({
      processes: Math.max(processes.size, Number(isAnyThere)),
      passed: [...passed.values()],
      mockedBy: [...mockedBy],
      elsewhere: [...elsewhere],
      left: [...left.values()].toSorted((one, other) => other.times - one.times),
    }),
  };
}
