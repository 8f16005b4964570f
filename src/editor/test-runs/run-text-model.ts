import type { CallEvent } from "../../core/call/call.ts";
import { missLines } from "../../core/view/miss.ts";
import { countsOf, countsText } from "../runs/call-counts-model.ts";
import { adviceOn } from "../../core/view/finding.ts";
import type { TestCommand } from "../test-discovery/run-one-model.ts";
import type { Unreached } from "../../server/why-unreached.ts";
import type { TestEnd } from "./test-process.ts";
import { faultRunText, type FaultRun } from "../mocks/faults-model.ts";
import { visible, visibleLine } from "../../core/base/visible.ts";

const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREEN = "\u001b[32m";
const PLAIN = "\u001b[0m";

/** How many different things are said of a run's calls; the sidebar and the log have all. */
const SAID = 8;

export interface RunSummary {
  readonly end: TestEnd;
  readonly events: readonly CallEvent[];
  /** More than one test was asked for. */
  readonly isSeveral?: boolean;
  /** Where something went wrong in it on purpose. */
  readonly withFault?: FaultRun | undefined;
  /** Why no call came, where none did. */
  readonly unreached?: Unreached | undefined;
}

/** What stands above a test's own output: the mode and the command, as it could be typed. */
export function runHeader(what: string, { command, args, cwd }: TestCommand): string {
  const typed = [command, ...args].map(shellWord).join(" ");
  return `${DIM}${visible(`${what}\n${cwd}> ${typed}`)}${PLAIN}\n\n`;
}

/** What stands below it: counts, what is missing, and why an answer was not kept, each once. */
export function runFooter({ end, events, unreached, withFault, isSeveral = false }: RunSummary): string {
  const counts = countsOf(events);
  const colour = end.how === "exited" && end.code === 0 && counts.missed === 0 ? GREEN : RED;
  const said = [...new Set(events.flatMap(remarkOn))];
  const more = said.length - SAID;
  return [
    "",
    `${colour}${endText(end, isSeveral)}${PLAIN} · ${countsText(counts)}`,
    ...(withFault === undefined
      ? []
      : [`Run ${visibleLine(faultRunText(withFault))}. Nothing was recorded.`]),
    ...(unreached === undefined
      ? []
      : [`No call reached Tapedeck. ${visibleLine(`${unreached.why} ${unreached.mend}`)}`]),
    ...said.slice(0, SAID),
    ...(more > 0 ? [`… and ${more} more`] : []),
    `${DIM}Press any key to close the terminal.${PLAIN}`,
    "",
  ].join("\n");
}

function endText(end: TestEnd, isSeveral: boolean): string {
  const what = isSeveral ? "The tests" : "The test";
  if (end.how === "stopped") return `${what} ${isSeveral ? "were" : "was"} stopped`;
  if (end.how === "failed") return visible(`${what} could not be started: ${end.reason}`);
  return end.code === 0 ? `${what} passed` : `${what} failed with exit code ${end.code}`;
}

function remarkOn({ miss, reason, hint, outcome, upstreamStatus }: CallEvent): readonly string[] {
  // With the key, which a click in the terminal follows.
  if (miss) {
    const [what, differs] = missLines(miss, { key: miss.key });
    return [`${RED}✘${PLAIN} ${what}\n  ${differs}`];
  }
  if (reason === undefined) return [];
  const colour = outcome === "refused" || outcome === "miss" ? RED : YELLOW;
  return [`${colour}!${PLAIN} ${visibleLine([reason, hint ?? adviceOn(upstreamStatus)].join(" "))}`];
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
