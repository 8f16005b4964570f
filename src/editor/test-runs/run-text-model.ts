import type { CallEvent } from "../../core/call.ts";
import { shortKey } from "../../core/view/names.ts";
import { countsOf } from "../runs/call-counts-model.ts";
import { countsText } from "../status-bar/status-bar-model.ts";
import type { TestCommand } from "../test-discovery/run-one-model.ts";
import { problemText } from "../test-code/miss-problems-model.ts";
import type { TestEnd } from "./test-process.ts";
import { visible, visibleLine } from "../../core/view/visible.ts";

const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREEN = "\u001b[32m";
const PLAIN = "\u001b[0m";

/** How many different things are said of a run's calls; the sidebar and the log have all. */
const SAID = 8;

/** What a run was, when its end is told. */
export interface RunSummary {
  readonly end: TestEnd;
  readonly events: readonly CallEvent[];
  /** More than one test was asked for. */
  readonly isSeveral?: boolean;
  /** Variables of keys that the process does not have although its calls may go to the providers. */
  readonly keysMissing: readonly string[];
}

/** What stands above a test's own output: the mode and the command, as it could be typed. */
export function runHeader(what: string, { command, args, cwd }: TestCommand): string {
  const typed = [command, ...args].map(shellWord).join(" ");
  return `${DIM}${visible(`${what}\n${cwd}> ${typed}`)}${PLAIN}\n\n`;
}

/** What stands below it: counts, what is missing, and why an answer was not kept, each once. */
export function runFooter({ end, events, keysMissing, isSeveral = false }: RunSummary): string {
  const counts = countsOf(events);
  const colour = end.how === "exited" && end.code === 0 && counts.missed === 0 ? GREEN : RED;
  const said = [...new Set(events.flatMap(remarkOn))];
  const more = said.length - SAID;
  return [
    "",
    `${colour}${endText(end, isSeveral)}${PLAIN} · ${countsText(counts) || "no calls"}`,
    ...(events.length === 0 && end.how === "exited" ? noCalls(keysMissing) : []),
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

function noCalls(keysMissing: readonly string[]): readonly string[] {
  return [
    "No call reached Tapedeck: the test made none, answers them itself, or its client takes its address from elsewhere.",
    ...(keysMissing.length > 0
      ? [
          `If its client asks for a key: recording needs your own, and ${keysMissing.join(" and ")} ${keysMissing.length === 1 ? "is" : "are"} not set where VS Code was started.`,
        ]
      : []),
  ];
}

function remarkOn({ miss, reason, hint, outcome, upstreamStatus }: CallEvent): readonly string[] {
  // With the key, which a click in the terminal follows.
  if (miss) return [`${RED}✘${PLAIN} ${problemText(miss)} ${DIM}key ${shortKey(miss.key)}${PLAIN}`];
  if (reason === undefined) return [];
  const colour = outcome === "refused" || outcome === "miss" ? RED : YELLOW;
  return [`${colour}!${PLAIN} ${visibleLine([reason, hint ?? advice(upstreamStatus)].join(" "))}`];
}

/** What to do about a provider's refusal. What it said stands in the test's own output. */
function advice(status: number | undefined): string {
  return ADVICE.find(([statuses]) => statuses.test(String(status)))?.[1] ?? "";
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^401$/u, "Set your own key where VS Code was started, and record again."],
  [/^403$/u, "Your key has no right to this; use another one, and record again."],
  [/^404$/u, "Check the model's name and the address."],
  [/^429$/u, "That is the provider's limit for your key; wait a little, and record again."],
  [/^5\d\d$/u, "That is the provider's fault; record again later."],
];

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
