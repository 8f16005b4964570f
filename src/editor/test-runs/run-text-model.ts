import { joinSentences, localize } from "../../core/base/localize.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { formatMissLines } from "../../core/view/miss.ts";
import { countOutcomes, formatCounts } from "../runs/call-counts-model.ts";
import { getAdvice } from "../../core/view/finding.ts";
import type { TestCommand } from "../../test-discovery/run-one.ts";
import type { UnreachedReason } from "../../server/why-unreached.ts";
import type { TestEnd } from "./test-process.ts";
import { makeVisible, makeVisibleLine } from "../../core/base/visible.ts";

const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREEN = "\u001b[32m";
const PLAIN = "\u001b[0m";

/** Maximum different remarks on a run's calls. The sidebar and the log have all. */
const REMARKS = 8;

export interface RunSummary {
  readonly end: TestEnd;
  readonly events: readonly CallEvent[];
  /** More than one test was requested. */
  readonly isSeveral?: boolean;
  /** The reason if no call arrived. */
  readonly unreached?: UnreachedReason | undefined;
}

/** Returns the text above a test's output: the mode, and the command as a person would type it. */
export function formatRunHeader(what: string, { command, args, cwd }: TestCommand): string {
  const typed = [command, ...args].map(shellWord).join(" ");
  return `${DIM}${makeVisible(`${what}\n${cwd}> ${typed}`)}${PLAIN}\n\n`;
}

/** Returns the text below the output: counts, missing calls, and reasons for calls that were not recorded, each once. */
export function formatRunFooter({ end, events, unreached, isSeveral = false }: RunSummary): string {
  const counts = countOutcomes(events);
  const isGood = end.how === "exited" && end.code === 0 && counts.miss === undefined;
  const ranNothing = hasRunNothing(end, unreached);
  const remarks = [...new Set(events.flatMap(remarkOn))];
  const more = remarks.length - REMARKS;
  return [
    "",
    ...(ranNothing
      ? []
      : [`${isGood ? GREEN : RED}${endText(end, isSeveral)}${PLAIN} · ${formatCounts(counts)}`]),
    ...(unreached === undefined ? [] : [unreachedText(unreached, ranNothing)]),
    ...remarks.slice(0, REMARKS),
    ...(more > 0 ? [localize("… and {0} more", more)] : []),
    `${DIM}${localize("Press any key to close the terminal.")}${PLAIN}`,
    "",
  ].join("\n");
}

/** Whether a command ended well without running a test, so that nothing passed. */
export const hasRunNothing = (end: TestEnd, unreached: UnreachedReason | undefined): boolean =>
  end.how === "exited" &&
  end.code === 0 &&
  (unreached?.cause === "no-test" || unreached?.cause === "skipped");

function unreachedText({ reason, fix }: UnreachedReason, ranNothing: boolean): string {
  if (ranNothing) return `${YELLOW}${makeVisibleLine(reason)}${PLAIN} ${makeVisibleLine(fix)}`;
  return makeVisibleLine(joinSentences(localize("No call reached Tapedeck."), reason, fix));
}

function endText(end: TestEnd, isSeveral: boolean): string {
  if (end.how === "stopped")
    return isSeveral ? localize("The tests were stopped") : localize("The test was stopped");
  if (end.how === "failed")
    return makeVisible(
      isSeveral
        ? localize("The tests could not be started: {0}", end.reason)
        : localize("The test could not be started: {0}", end.reason),
    );
  if (end.code === 0) return isSeveral ? localize("The tests passed") : localize("The test passed");
  return isSeveral
    ? localize("The tests failed with exit code {0}", end.code)
    : localize("The test failed with exit code {0}", end.code);
}

function remarkOn({ miss, reason, hint, outcome, upstreamStatus }: CallEvent): readonly string[] {
  // Includes the key, which is a link in the terminal.
  if (miss) {
    const [what, differs] = formatMissLines(miss, { key: miss.key });
    return [`${RED}✘${PLAIN} ${what}\n  ${differs}`];
  }
  if (reason === undefined) return [];
  const color = outcome === "refused" || outcome === "miss" ? RED : YELLOW;
  return [`${color}!${PLAIN} ${makeVisibleLine(joinSentences(reason, hint ?? getAdvice(upstreamStatus)))}`];
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
