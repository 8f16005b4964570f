import { localize, getProgramName } from "../../core/base/localize.ts";
import { formatSpending } from "../../core/call/spending.ts";
import { groupBy } from "../../core/base/group-by.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import { shorten } from "../../core/view/row.ts";
import { listFindingsOfKind, groupByTest, type RunFinding, type RunReport } from "./run-report.ts";
import {
  formatCountsLine,
  formatFailedLines,
  formatMissing,
  formatTestLine,
  describeCallOutsideTests,
} from "./run-report-text.ts";
import { getTestId } from "../../core/call/test-names.ts";

/** Limits that keep a summary readable at a glance and below GitHub's maximum of one megabyte. */
const MISSES = 20;
const TESTS = 10;
const LINE = 300;

/** For the summary of a job: counts, what is missing and how it differs, what is new, what it cost. */
export function renderMarkdownReport(report: RunReport): string {
  const parts = [
    localize("### Tapedeck: {0}", headline(report)),
    `${formatCountsLine(report)}${report.spent ? ` · ${formatSpending(report.spent)}` : ""}`,
    ...missingParts(report),
    ...formatFailedLines(report).map((line) => `**${line}**`),
    ...secretParts(report),
    ...recordedParts(report),
  ];
  return `${parts.join("\n\n")}\n`;
}

function headline(report: RunReport): string {
  const { counts, requests } = report;
  if (requests === 0) return localize("no calls");
  if (counts.miss > 0) return localizeCount(counts.miss, "{0} call not recorded", "{0} calls not recorded");
  const failed = listFindingsOfKind(report, "failed").filter(({ failsRun }) => failsRun).length;
  if (failed > 0) return localizeCount(failed, "{0} failure", "{0} failures");
  return counts.recorded > 0 ? newRecordings(counts.recorded) : localize("all calls replayed");
}

function missingParts(report: RunReport): readonly string[] {
  const all = groupByTest(listFindingsOfKind(report, "missing", "broken")).flat();
  if (all.length === 0) return [];
  const more = all.length - MISSES;
  const record =
    report.mode === "strict" && listFindingsOfKind(report, "missing").length > 0
      ? [localize("Record them: {0}", `\`${getProgramName()} run --mode record -- COMMAND\``)]
      : [];
  return [
    ...all.slice(0, MISSES).map(missingPart),
    ...(more > 0 ? [localizeCount(more, "… and {0} more call", "… and {0} more calls")] : []),
    ...record,
  ];
}

/** Three lines: the test, what is missing, what differs. */
function missingPart(finding: RunFinding): string {
  const lines = [formatTestLine(finding.test, describeCallOutsideTests()), ...formatMissing(finding)];
  return formatCodeBlock(lines.map((line) => shorten(line, LINE)).join("\n"));
}

/** Why calls with secrets were not recorded, each reason once. */
function secretParts(report: RunReport): readonly string[] {
  const secret = listFindingsOfKind(report, "failed").filter(
    ({ event, failsRun }) => failsRun && event?.lost === undefined,
  );
  return secret.length === 0 ? [] : [formatCodeBlock([...new Set(secret.map(({ why }) => why))].join("\n"))];
}

function recordedParts({ recorded }: RunReport): readonly string[] {
  if (recorded.length === 0) return [];
  const tests = groupBy(recorded, ({ test }) => getTestId(test));
  const lines = tests.slice(0, TESTS).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name = formatTestLine(first.test);
    return [localize("- {0} of {1}", formatCount(others.length + 1), formatCodeSpan(shorten(name, LINE)))];
  });
  const more =
    tests.length > TESTS
      ? [localizeCount(tests.length - TESTS, "- and of {0} more test", "- and of {0} more tests")]
      : [];
  return [`**${newRecordings(recorded.length)}**`, [...lines, ...more].join("\n")];
}

const newRecordings = (count: number): string =>
  localizeCount(count, "{0} new recording", "{0} new recordings");

/**
 * Formats text from other sources as a Markdown code block. The fence is longer than any run of backticks in the text,
 * so that the text cannot end the block.
 */
export function formatCodeBlock(lines: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}\n${lines}\n${fence}`;
}

export function formatCodeSpan(text: string): string {
  const mark = "`".repeat(longestRun(text) + 1);
  return `${mark} ${text} ${mark}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
