import { existsSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import type { CallEvent, Miss } from "../core/call.ts";
import { cannotWrite } from "../core/errors.ts";
import { listLine } from "./missing-list.ts";
import { withRules } from "../core/config/edit-config.ts";
import type { PlannedMiss, RulesPlan } from "../core/match/rules/plan-rules.ts";
import { pickDefined } from "../core/pick-defined.ts";
import { plural } from "../core/plural.ts";
import { rulesPlanLines } from "../core/view/rules-plan-text.ts";
import type { Deck } from "../deck/deck.ts";
import { readText } from "../storage/folder/read-file.ts";
import { replaceWhole } from "../storage/folder/temporary.ts";
import { agrees, type Terminal } from "./terminal.ts";

/** The missed calls of a run with their requests, each once, kept until it is over. */
export interface MissedRequests {
  /** Writes the list where one is asked for, and gives the rules where these are. @throws TapedeckError where it cannot be written. */
  end(): Promise<RulesPlan | undefined>;
  /** The rules, now that the command ran again and missed these. */
  planWith(again: MissedRequests, deck: Deck): Promise<RulesPlan>;
  readonly all: ReadonlyMap<string, KeptMiss>;
}

interface KeptMiss extends PlannedMiss {
  readonly miss: Miss;
  readonly line: string;
  /** Which of the calls of which test it was: the same in each run. */
  readonly place: string;
}

/** What a run does with what it missed. */
interface Wanted {
  readonly proposes: boolean;
  /** The absolute path of the list that is written. */
  readonly list: string | undefined;
}

/** Undefined where nothing is done with them: then none is kept. */
export function keepMissedRequests(deck: Deck, { proposes, list }: Wanted): MissedRequests | undefined {
  if (!proposes && list === undefined) return undefined;
  const missed = new Map<string, KeptMiss>();
  const ofTest = new Map<string, number>();
  deck.engine.onCall(({ miss, key, test, at }: CallEvent) => {
    if (miss === undefined || key === null) return;
    const known = missed.get(key);
    if (known !== undefined) {
      missed.set(key, { ...known, times: known.times + 1 });
      return;
    }
    const name = JSON.stringify([test?.file, test?.name, test?.id, miss.provider, miss.operation]);
    const number = ofTest.get(name) ?? 0;
    ofTest.set(name, number + 1);
    const line = list === undefined ? "" : listLine(miss, test);
    missed.set(key, { miss, line, times: 1, at, place: `${name} ${number}` });
  });
  return {
    all: missed,
    async end() {
      const all = [...missed.values()];
      if (list !== undefined) await writeList(list, all.map(({ line }) => line).join(""));
      return proposes ? deck.planRules(all) : undefined;
    },
    planWith(again, other) {
      // What both runs asked is what the code says: only the rest varies.
      const varyingMisses = (one: MissedRequests, beside: MissedRequests): readonly KeptMiss[] =>
        [...one.all].flatMap(([key, kept]) => (beside.all.has(key) ? [] : [kept]));
      const byPlace = new Map(varyingMisses(again, this).map((kept) => [kept.place, kept.miss]));
      const now = new Set(varyingMisses(this, again));
      return other.planRules(
        [...missed.values()].map((kept) => ({
          ...kept,
          ...pickDefined({ again: now.has(kept) ? byPlace.get(kept.place) : undefined }),
        })),
      );
    },
  };
}

async function writeList(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw cannotWrite(`The list ${path}`, "--missing", cause);
  }
}

export interface Offering {
  /** The project's `tapedeck.jsonc`. */
  readonly path: string;
  /** Whether they are added without a question. */
  readonly isAgreed: boolean;
  readonly terminal: Terminal;
}

/** Shows the rules where calls missed, and adds them after a yes. @throws TapedeckError where the file is none. */
export async function offerRules(
  plan: RulesPlan | undefined,
  { path, isAgreed, terminal }: Offering,
): Promise<void> {
  if (plan === undefined || plan.misses === 0) return;
  const say = (line: string): void => terminal.err(`${line}\n`);
  for (const line of rulesPlanLines(plan)) say(line);
  if (plan.rules.length === 0) return;
  const shown = relative(terminal.cwd, path);
  if (!isAgreed && terminal.ask === undefined) return say(`--yes adds them to ${shown}.`);
  if (!isAgreed && !(await agrees(terminal, `Add them to ${shown}?`))) return say("Nothing was added.");
  const isThere = existsSync(path);
  const text = isThere ? await readText(path) : "";
  const rules = plan.rules.map(({ rule }) => rule);
  // A link stays one: packages may share a file.
  await replaceWhole(isThere ? realpathSync(path) : path, withRules(text, rules));
  say(`${plural(rules.length, "rule")} added to ${shown}. They count at the next call.`);
}
