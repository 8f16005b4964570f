import type { AgentProject, OpenMiss, TestRunResult } from "../../agent/agent-project.ts";
import type { Limits } from "../../core/answer/budget/limits.ts";
import type { RunRecord, RunCall } from "../../core/view/run-record/run-record.ts";
import type { Deck } from "../../deck/deck.ts";
import { addCandidates } from "../../storage/local/candidates.ts";
import { readRunsSince } from "../../storage/runs/kept-runs.ts";
import { addRules, pairMisses } from "../propose-rules.ts";
import { runTestOnce, type RunPlace } from "./run-test-once.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { getTestId } from "../../core/call/test-names.ts";
import { isKey } from "../../core/cassette/address.ts";

/** Runs that began before this time, in milliseconds, are not looked at for missing calls. */
const REMEMBERED_MS = 7 * 24 * 3_600_000;
/** A run that took longer is not repeated to find fields that change on every run. */
const REPEATED_MS = 60_000;

/** The project of a folder on the command line: its runs are those of `tapedeck run`. */
export function createCommandLineProject({
  deck,
  ...place
}: RunPlace & { readonly deck: Deck }): AgentProject {
  const { terminal } = place;
  const known = new Map<string, Pick<OpenMiss, "miss" | "again" | "test">>();
  const own: RunRecord[] = [];
  const missing: AgentProject["missing"] = async () => {
    const ids = new Set(own.map(({ id }) => id));
    const kept = await readRunsSince(deck.dir, terminal.now() - REMEMBERED_MS);
    const runs = [...own, ...kept.filter(({ id }) => !ids.has(id))];
    runs.sort((one, other) => other.startedAt - one.startedAt);
    return listOpenMisses(runs, known, deck);
  };
  return {
    root: place.options.project,
    deck,
    async refresh() {
      await deck.project.reload();
    },
    missing,
    applyLimits: (requested) => allowUnknownPrices(requested, place.options.limits),
    addRules: (rules) => addRules(rules, { dir: deck.dir, path: deck.project.path }, terminal),
    async markNew(recording) {
      await addCandidates(deck.dir, [recording]);
    },
    async run(testRun) {
      const startedAt = terminal.now();
      const first = await runTestOnce(testRun, place);
      const mayRepeat = terminal.now() - startedAt < REPEATED_MS && !testRun.signal.aborted;
      const isRepeated = first.isUnexplained && mayRepeat;
      const last = isRepeated ? await runTestOnce(testRun, place) : first;
      for (const { record } of new Set([first, last])) if (record !== undefined) own.push(record);
      const misses = isRepeated ? pairMisses(last.requests, first.requests) : last.requests.all.values();
      for (const { miss, again } of misses) known.set(miss.key, { miss, again, test: testRun.test });
      const { hasPassed, isEmpty, report, output } = last;
      const missed = listMissedKeys(last.record);
      return {
        hasPassed,
        isEmpty,
        outcomes: Object.fromEntries(Object.entries(report.counts).filter(([, count]) => count > 0)),
        missing: (await missing()).filter(({ key }) => missed.has(key)),
        problems: report.findings.filter(({ kind }) => kind !== "missing"),
        spent: report.spent,
        output,
      } satisfies TestRunResult;
    },
  };
}

const listMissedKeys = (run: RunRecord | undefined) =>
  new Set(run?.calls.filter(({ outcome }) => outcome === "miss").map(({ key }) => key));

/** Without --max-cost, a person is asked before each recording. The question states if a cost is not known. */
function allowUnknownPrices(requested: Limits, { costUsd, unknownPrices = false }: Limits): Limits {
  return { ...requested, unknownPrices: costUsd === undefined || unknownPrices };
}

/** The requests of missed calls, as far as they are known, by key. A test is that of the run, for calls that name none. */
type KnownMisses = ReadonlyMap<string, Pick<OpenMiss, "miss" | "again" | "test">>;

/**
 * Returns the calls that were missing when their test last ran and that no recording answers now, newest first.
 * `runs`: newest first.
 */
function listOpenMisses(
  runs: readonly RunRecord[],
  known: KnownMisses,
  deck: Pick<Deck, "store" | "answerTo">,
): readonly OpenMiss[] {
  const found = new Map<string, OpenMiss>();
  const settled = new Set<string>();
  for (const { calls, startedAt } of runs) {
    const ofRun = new Set<string>();
    for (const call of calls) {
      const test = getTestId(call.test);
      ofRun.add(test);
      const miss = settled.has(test) ? undefined : readOpenMiss(call, startedAt, known);
      if (miss === undefined || isAnswered(miss, deck)) continue;
      const id = `${miss.key} ${test}`;
      found.set(id, { ...miss, count: (found.get(id)?.count ?? 0) + 1 });
    }
    for (const test of ofRun) settled.add(test);
  }
  return [...found.values()].sort((one, other) => other.at - one.at);
}

function readOpenMiss(
  { outcome, key, provider, operation, model, label, test, at, status, note }: RunCall,
  startedAt: number,
  known: KnownMisses,
): OpenMiss | undefined {
  if (outcome !== "miss" || !isKey(key)) return undefined;
  const request = known.get(key);
  // Only a damaged recording is reported with the status of a failure.
  const isBroken = status !== undefined;
  return {
    key,
    provider,
    operation,
    ...pickDefined({ model }),
    label,
    at: startedAt + at,
    count: 1,
    ...request,
    test: test ?? request?.test,
    ...(isBroken ? { broken: note ?? "" } : { note }),
  };
}

function isAnswered(
  { key, provider, miss, broken }: OpenMiss,
  deck: Pick<Deck, "store" | "answerTo">,
): boolean {
  if (broken !== undefined) return false;
  if (miss !== undefined) return deck.answerTo(miss) !== undefined;
  return deck.store.takes(provider, key).length > 0;
}
