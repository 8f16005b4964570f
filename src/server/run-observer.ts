import type { BypassedCall } from "../core/view/finding.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import type { GuardNote, LeftNote } from "./guard-notes.ts";

/** The reports of the hooks in a run. Processes without hooks are not included. */
export interface ObservedRun {
  /** Number of processes that reported their start. Processes that ended before they sent their id count as one. */
  readonly processes: number;
  /** Test runners whose processes started, e.g. "vitest". */
  readonly runners: readonly string[];
  /** Whether a test began in any of them. */
  readonly ranTests: boolean;
  /** Calls to a provider that Tapedeck neither answered nor kept. */
  readonly passed: readonly PassedCall[];
  /** Whether the command starts tapedeck itself. That run gets the calls. */
  readonly startsRun: boolean;
  /** Libraries that answer calls instead of a provider, each once. */
  readonly mockedBy: readonly string[];
  /** Hosts of no known provider that received model calls, because tests gave their clients these addresses. */
  readonly elsewhere: readonly string[];
  /** Hosts that received connections without model calls, the most frequent first. */
  readonly left: readonly LeftConnections[];
}

/** Connections of one process to one host, for one reason and test. */
export interface PassedCall extends BypassedCall {
  readonly times: number;
}

/** Connections to one host without model calls. */
export interface LeftConnections {
  readonly host: string;
  readonly times: number;
  /** Number of these connections that were TLS, which the proxy cannot read. */
  readonly unread: number;
  /** How many more were refused because the run blocks the network. */
  readonly refused: number;
}

export const NOTHING_SEEN: ObservedRun = {
  processes: 0,
  runners: [],
  ranTests: false,
  passed: [],
  startsRun: false,
  mockedBy: [],
  elsewhere: [],
  left: [],
};

const RUNNER =
  /(?:^|[\s/\\])(vitest|jest|mocha|playwright|pytest|unittest)(?=[\s/\\]|\.[cm]?js(?:\s|$)|$)|\s--test(?:\s|$)/u;

/** The test runner that a command line starts and whose tests the hooks report, e.g. "vitest"; undefined for others. */
export function detectTestRunner(commandLine: string): string | undefined {
  const found = RUNNER.exec(commandLine);
  return found === null ? undefined : (found[1] ?? "node --test");
}

/** The command line itself: scripts of packages may start a run of their own. */
const OWN_PROGRAM = /[\\/](?:llm-tapedeck[\\/]dist[\\/]cli\.js|\.bin[\\/]tapedeck)$/;

/** Maximum entries of one kind, because processes send their texts. Known entries are still counted. */
const MOST = 200;

export type RunObserver = ReturnType<typeof createRunObserver>;

export function createRunObserver() {
  const processes = new Set<number>();
  const runners = new Set<string>();
  const flags = { isAnyThere: false, ranTests: false, startsRun: false };
  const passed = new Map<string, PassedCall>();
  const mockedBy = new Set<string>();
  const elsewhere = new Set<string>();
  const left = new Map<string, LeftConnections>();
  const takers: { readonly [K in GuardNote["kind"]]: (note: Extract<GuardNote, { kind: K }>) => void } = {
    hello({ command = "" }) {
      flags.isAnyThere = true;
      const runner = detectTestRunner(command);
      if (runner !== undefined) runners.add(runner);
      flags.startsRun ||= OWN_PROGRAM.test(command);
    },
    tests: () => void (flags.ranTests = true),
    mocked: ({ by }) => void (mockedBy.size < MOST && mockedBy.add(by)),
    elsewhere: ({ host }) => void (elsewhere.size < MOST && elsewhere.add(host)),
    passed: (note) => addPassed(passed, note),
    left: (note) => addLeft(left, note),
  };
  return {
    note(note: GuardNote): void {
      if ("pid" in note && note.pid !== undefined) processes.add(note.pid);
      (takers[note.kind] as (one: GuardNote) => void)(note);
    },
    /** Adds a call that no hooks reported. */
    passed: (call: Omit<PassedCall, "times">): void => addPassed(passed, call),
    hasHooks: (pid: number): boolean => processes.has(pid),
    whole: (): ObservedRun => ({
      processes: Math.max(processes.size, Number(flags.isAnyThere)),
      runners: [...runners],
      ranTests: flags.ranTests,
      startsRun: flags.startsRun,
      passed: [...passed.values()],
      mockedBy: [...mockedBy],
      elsewhere: [...elsewhere],
      left: [...left.values()].toSorted((one, other) => other.times - one.times),
    }),
  };
}

function addPassed(all: Map<string, PassedCall>, call: Omit<PassedCall, "times">): void {
  const { host, pid, command, reason, fix, test } = call;
  const name = JSON.stringify([host, pid, reason, test?.file, test?.name]);
  const known = all.get(name);
  if (known === undefined && all.size >= MOST) return;
  const process = pid !== undefined && command !== undefined ? { pid, command } : {};
  all.set(name, { host, ...process, reason, ...pickDefined({ fix, test }), times: (known?.times ?? 0) + 1 });
}

function addLeft(all: Map<string, LeftConnections>, { host, isRefused, isUnread = false }: LeftNote): void {
  const known = all.get(host) ?? { host, times: 0, unread: 0, refused: 0 };
  if (known.times + known.refused === 0 && all.size >= MOST) return;
  all.set(host, {
    host,
    times: known.times + Number(!isRefused),
    unread: known.unread + Number(isUnread),
    refused: known.refused + Number(isRefused),
  });
}
