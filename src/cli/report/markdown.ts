import { spendingText } from "../../core/budget/spending.ts";
import { groupBy } from "../../core/group-by.ts";
import { countText, plural } from "../../core/plural.ts";
import { visibleLine } from "../../core/view/visible.ts";
import { shorten } from "../../core/view/row.ts";
import type { MissedCall, RunEvent, RunReport } from "./run-report.ts";
import { countsLine, lostLines, missedText, testLine } from "./run-report-text.ts";
import { testId } from "../../core/test-names.ts";

/** A summary is to be read at a glance, and GitHub takes a megabyte. */
const MISSES = 20;
const TESTS = 10;
const LINE = 300;

/** For the summary of a job: counts, what is missing and how it differs, what is new, what it cost. */
export function markdownReport(report: RunReport): string {
  const parts = [
    `### Tapedeck: ${headline(report)}`,
    `${countsLine(report)}${report.spent ? ` · ${spendingText(report.spent)}` : ""}`,
    ...missedParts(report),
    ...failingParts(report),
    ...lostLines(report).map((line) => `**${line}**`),
    ...recordedParts(report),
  ];
  return `${parts.join("\n\n")}\n`;
}

function headline({ counts, requests, failing, lost }: RunReport): string {
  if (requests === 0) return "no call reached it";
  if (counts.miss > 0) return `${plural(counts.miss, "call")} not recorded`;
  if (lost.length > 0) return `${plural(lost.length, "recording")} could not be written`;
  if (failing.length > 0) return `${plural(failing.length, "call")} with secrets`;
  return counts.recorded > 0 ? plural(counts.recorded, "new recording") : "everything replayed";
}

function missedParts({ missed, mode }: RunReport): readonly string[] {
  const all = missed.flatMap(({ test, calls }) => calls.map((call) => ({ test, call })));
  if (all.length === 0) return [];
  const shown = all.slice(0, MISSES).map(({ test, call }) => missedPart(test, call));
  const more = all.length - shown.length;
  const record = mode === "strict" ? ["Record them: `npx tapedeck run --mode record -- COMMAND`"] : [];
  return [...shown, ...(more > 0 ? [`… and ${plural(more, "more call")}`] : []), ...record];
}

/** Three lines: whose it is, what is missing, what differs. */
function missedPart(test: RunEvent["test"], call: MissedCall): string {
  const title = testLine(test, "a call");
  return codeBlock([title, ...missedText(call)].map((line) => shorten(line, LINE)).join("\n"));
}

function failingParts({ failing }: RunReport): readonly string[] {
  if (failing.length === 0) return [];
  const reasons = new Set(failing.map(({ reason = "A secret in the call." }) => visibleLine(reason)));
  return [
    `**${plural(failing.length, "call")} not recorded, because of secrets**`,
    codeBlock([...reasons].join("\n")),
  ];
}

function recordedParts({ recorded }: RunReport): readonly string[] {
  if (recorded.length === 0) return [];
  const tests = groupBy(recorded, ({ test }) => testId(test));
  const lines = tests.slice(0, TESTS).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name = testLine(first.test);
    return [`- ${countText(others.length + 1)} of ${codeSpan(shorten(name, LINE))}`];
  });
  const more = tests.length > TESTS ? [`- and of ${plural(tests.length - TESTS, "more test")}`] : [];
  return [`**${plural(recorded.length, "new recording")}**`, [...lines, ...more].join("\n")];
}

/** Text of others in Markdown: code, whose fence is longer than any in it, so that it is no Markdown of theirs. */
export function codeBlock(lines: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}\n${lines}\n${fence}`;
}

export function codeSpan(text: string): string {
  const mark = "`".repeat(longestRun(text) + 1);
  return `${mark} ${text} ${mark}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
