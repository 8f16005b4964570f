import { localize } from "../core/base/localize.ts";
import { existsSync, realpathSync, closeSync, openSync } from "node:fs";
import { relative } from "node:path";
import type { CallEvent, Key, Miss } from "../core/call/call.ts";
import type { NormalizeRule } from "../core/call/rule.ts";
import { withRules } from "../core/config/edit-config.ts";
import type { PlannedMiss, RulesPlan } from "../core/match/rules/plan-rules.ts";
import { localizeCount } from "../core/base/plural.ts";
import { formatRulesPlan } from "../core/view/rules-plan-text.ts";
import { openDeck, type Deck } from "../deck/deck.ts";
import { readText } from "../storage/folder/read-file.ts";
import { replaceWhole } from "../storage/folder/durable-write.ts";
import { askYesNo, type Terminal } from "./terminal.ts";
import { devNull } from "node:os";
import { createRunObserver } from "../server/run-observer.ts";
import type { ServeOptions } from "./options/serve-options.ts";
import { runWatched, type WatchedCommand } from "./run-watched.ts";
import { startServing } from "./serving.ts";

export type MissedRequests = ReturnType<typeof keepMissedRequests>;

interface KeptMiss extends PlannedMiss {
  readonly miss: Miss;
  readonly again?: Miss | undefined;
  /** Test, provider, operation, and position among such calls of the test: the same in each run. */
  readonly place: string;
}

/** Collects the calls that a run misses from now on, each once with its request. */
export function keepMissedRequests(deck: Deck) {
  const missed = new Map<Key, KeptMiss>();
  const ofTest = new Map<string, number>();
  deck.engine.onCall(({ miss, key, test, at }: CallEvent) => {
    // Only MetaGPT's own tests answer or record what is missing in its cache.
    if (miss === undefined || key === null || miss.cacheFile !== undefined) return;
    const known = missed.get(key);
    if (known !== undefined) {
      missed.set(key, { ...known, times: known.times + 1 });
      return;
    }
    const name = JSON.stringify([test?.file, test?.name, test?.id, miss.provider, miss.operation]);
    const number = ofTest.get(name) ?? 0;
    ofTest.set(name, number + 1);
    missed.set(key, { miss, times: 1, at, place: `${name} ${number}` });
  });
  return {
    all: missed as ReadonlyMap<Key, KeptMiss>,
    /** Plans rules under which they match. */
    planRules: (): Promise<RulesPlan> => deck.planRules([...missed.values()]),
  };
}

/** Returns the missed calls of a run, each with the same call of another run of the same code if it was missed there. */
export function pairMisses(run: MissedRequests, other: MissedRequests): readonly KeptMiss[] {
  const byPlace = new Map([...other.all.values()].map(({ place, miss }) => [place, miss]));
  return [...run.all.values()].map((kept) => ({ ...kept, again: byPlace.get(kept.place) }));
}

interface OfferOptions {
  /** The cassette folder, absolute. */
  readonly dir: string;
  /** The project's `tapedeck.jsonc`. */
  readonly path: string;
  /** Whether they are added without a question. */
  readonly isAgreed: boolean;
  readonly terminal: Terminal;
}

/** Shows the rules where calls missed, and adds them after a yes. @throws TapedeckError where the file is none. */
export async function offerRules(
  plan: RulesPlan | undefined,
  { dir, path, isAgreed, terminal }: OfferOptions,
): Promise<void> {
  if (plan === undefined || plan.misses === 0) return;
  const print = (line: string): void => terminal.err(`${line}\n`);
  for (const line of formatRulesPlan(plan)) print(line);
  if (plan.rules.length === 0) return;
  const shown = relative(terminal.cwd, path);
  if (!isAgreed && terminal.ask === undefined) return print(localize("Use --yes to add them to {0}.", shown));
  if (!isAgreed && !(await askYesNo(terminal, localize("Add them to {0}?", shown))))
    return print(localize("Nothing was added."));
  const rules = plan.rules.map(({ rule }) => rule);
  const renamed = await addRules(rules, { dir, path }, terminal);
  print(localizeCount(rules.length, "{0} rule added to {1}.", "{0} rules added to {1}.", shown));
  if (renamed > 0) print(localizeCount(renamed, "{0} recording renamed.", "{0} recordings renamed."));
}

/**
 * Adds rules to a project's file and resolves to the number of recordings that they rename.
 * @throws TapedeckError where the file is none
 */
export async function addRules(
  rules: readonly NormalizeRule[],
  { dir, path }: Pick<OfferOptions, "dir" | "path">,
  { env }: Pick<Terminal, "env">,
): Promise<number> {
  const isThere = existsSync(path);
  const text = isThere ? await readText(path) : "";
  // A link stays one: packages may share a file.
  await replaceWhole(isThere ? realpathSync(path) : path, withRules(text, rules));
  const deck = openDeck({ dir, env });
  try {
    await deck.project.reload();
    return (await deck.names.rename()).renamed.length;
  } finally {
    await deck.close();
  }
}

/** A run that is over. */
interface SecondRun {
  readonly plan: RulesPlan | undefined;
  readonly missed: MissedRequests | undefined;
  readonly watched: WatchedCommand;
  readonly commandCode: number;
  readonly options: ServeOptions;
}

/** Exit codes from here on mean that a signal ended the command, so it was stopped on purpose. */
const SIGNALED = 128;

/**
 * Plans rules for the misses of a run. If the rules do not match all of them, runs the command once more without its
 * output: fields that differ between two runs of the same code are volatile.
 */
export async function planWithAnotherRun(
  { plan, missed, watched, commandCode, options }: SecondRun,
  terminal: Terminal,
): Promise<RulesPlan | undefined> {
  if (plan === undefined || missed === undefined || options.mode !== "strict") return plan;
  if (plan.matched === plan.misses || commandCode >= SIGNALED) return plan;
  terminal.err(localize("Running the command again, to find the fields that change on every run.\n"));
  const nothing = openSync(devNull, "w");
  const quiet: Terminal = {
    ...terminal,
    out: () => {},
    outAsIs: () => {},
    err: () => {},
    streams: [terminal.streams[0], nothing, nothing],
  };
  const observed = createRunObserver();
  const serving = await startServing({ ...options, blocksNetwork: watched.blocksNetwork }, quiet, (note) =>
    observed.note(note),
  );
  try {
    const again = keepMissedRequests(serving.deck);
    await runWatched(watched, { serving, mode: options.mode, observed, output: "out", terminal: quiet });
    return await serving.deck.planRules(pairMisses(missed, again));
  } finally {
    await serving.stop();
    closeSync(nothing);
  }
}
