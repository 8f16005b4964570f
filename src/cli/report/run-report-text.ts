import { getProgramName, joinSentences, localize } from "../../core/base/localize.ts";
import { formatSpending } from "../../core/call/spending.ts";
import type { TestRef } from "../../core/call/call.ts";
import { formatTestPlace, formatTestTitle } from "../../core/call/test-names.ts";
import { bypassText, type Finding } from "../../core/view/finding.ts";
import {
  formatTeamLines,
  countCallsOfFindings,
  listFindingsOfKind,
  groupByTest,
  type RunFinding,
  type RunReport,
} from "./run-report.ts";
import type { ObservedRun } from "../../server/run-observer.ts";
import { explainUnreached, type UnreachedFacts } from "../../server/why-unreached.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import { paint } from "../terminal.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { groupBy } from "../../core/base/group-by.ts";

interface ReportOptions {
  readonly color: boolean;
  readonly recordCommand: string;
  /** The environment variable that sets a proxy. */
  readonly proxy?: string;
  /** Variables of keys that the command did not have although its calls might leave the machine. */
  readonly keysMissing?: UnreachedFacts["keysMissing"];
  /** The test runner that the command line names, if any. */
  readonly runner?: string | undefined;
  readonly commandCode?: number;
  /** Whether proposed rules for the missed calls follow the report. */
  readonly proposesRules?: boolean;
  /** Whether the tests were running before the server started. */
  readonly isAttached?: boolean;
  /** Whether processes with hooks report that they start. */
  readonly tellsStart?: boolean;
  readonly isProxied?: boolean;
}

/** The report for people: counts, what is missing by test and why, and the command that records it. */
export function formatReport(report: RunReport, options: ReportOptions): string {
  const { color } = options;
  const lines = [formatCountsLine(report)];
  lines.push(...cachedLines(report));
  if (report.team !== undefined) lines.push(...formatTeamLines(report.team));
  if (report.spent !== undefined) lines.push(localize("Spent: {0}.", formatSpending(report.spent)));
  if (report.requests === 0) {
    lines.push(...noCalls(options, report));
  }
  lines.push(...seenLines(report.observed, color), ...leftLines(report.observed));
  const missing = listFindingsOfKind(report, "missing", "broken");
  for (const findings of groupByTest(missing)) lines.push(...missingLines(findings, color));
  lines.push(...madeUpLines(report, color));
  for (const [reason, tests] of report.reasons)
    lines.push(`${paint(color, "yellow", "!")} ${makeVisibleLine(reason)}`, ...testLines(tests));
  lines.push(...sharedLines(report, color));
  lines.push(...formatFailedLines(report).map((line) => `${paint(color, "red", "✘")} ${line}`));
  const hasNearest = missing.some(({ event }) => event?.miss?.nearest !== undefined);
  if (options.proposesRules !== true && hasNearest) lines.push(rulesLine(options));
  if (listFindingsOfKind(report, "missing").length > 0)
    lines.push(localize("Record them: {0}", paint(color, "bold", options.recordCommand)));
  return lines.map((line) => `${line}\n`).join("");
}

function rulesLine({ isAttached = false }: ReportOptions): string {
  return isAttached
    ? localize(
        "If the differences do not matter, run {0} to see rules to add.",
        `\`${getProgramName()} run --propose-rules --last\``,
      )
    : localize("If the differences do not matter, run it with --propose-rules to see rules to add.");
}

/** One line per cache file that answered calls. */
function cachedLines({ cached }: RunReport): readonly string[] {
  const files = cached.map(({ cacheFile }) => cacheFile ?? "");
  return groupBy(files, (file) => file).map((same) =>
    localizeCount(
      same.length,
      "{0} replayed call was answered from {1}.",
      "{0} replayed calls were answered from {1}.",
      makeVisibleLine(same[0] ?? ""),
    ),
  );
}

/** Explains why a run had no calls, and what else may be the cause. */
function noCalls(
  { proxy, keysMissing = [], runner, tellsStart = false, isProxied = false, commandCode = 0 }: ReportOptions,
  { observed }: RunReport,
): readonly string[] {
  if (observed.passed.length > 0)
    return observed.passed.some(({ fix }) => fix !== undefined)
      ? [localize("Tapedeck answered no call: it refused the calls of this run.")]
      : [localize("No call reached Tapedeck: the calls of this run bypassed it.")];
  const { cause, reason, fix } = explainUnreached({ observed, keysMissing, runner, tellsStart, isProxied });
  const others = [
    ...(commandCode === 0
      ? []
      : [
          localize(
            "    the command failed with {0}, maybe before its first call: see its output above",
            commandCode,
          ),
        ]),
    ...(proxy === undefined
      ? []
      : [localize("    {0} is set: clients that ignore NO_PROXY send their calls to that proxy", proxy)]),
  ];
  const mayBe = cause === "unknown" || cause === "process" ? others : [];
  return [
    joinSentences(localize("No call reached Tapedeck."), reason, fix),
    ...mayBe,
    localize("With --require-calls, such a run fails."),
  ];
}

function seenLines({ passed, processes }: ObservedRun, color: boolean): readonly string[] {
  if (passed.length === 0) return [];
  return [
    ...passed.map(
      (call) =>
        `${paint(color, "red", "✘")} ${call.test === undefined ? bypassText(call) : localize("{0}: {1}", formatTestLine(call.test), bypassText(call))}`,
    ),
    ...(passed.every(({ fix }) => fix !== undefined)
      ? []
      : [
          localizeCount(
            processes,
            "Observed {0} process with Tapedeck's hooks; other processes are not visible.",
            "Observed {0} processes with Tapedeck's hooks; other processes are not visible.",
          ),
        ]),
  ];
}

/** Maximum tests to list for one reason. */
const TESTS_SHOWN = 3;

function testLines(tests: readonly TestRef[]): readonly string[] {
  const more = tests.length - TESTS_SHOWN;
  return [
    ...tests.slice(0, TESTS_SHOWN).map((test) => `    ${formatTestLine(test)}`),
    ...(more > 0 ? [localizeCount(more, "    and {0} more test", "    and {0} more tests")] : []),
  ];
}

/** `41 replayed · 2 missing · 0 sent`. */
export function formatCountsLine(report: RunReport): string {
  const { counts, leftMachine: sent, observed } = report;
  const faulty = listFindingsOfKind(report, "faulty");
  const failed = faulty.filter(({ event }) => event?.outcome === "defaulted" && event.madeUp === undefined);
  const [atDoor, unseen] = [true, false].map((isRefused) =>
    observed.passed.reduce(
      (sum, { times, fix }) => ((fix !== undefined) === isRefused ? sum + times : sum),
      0,
    ),
  ) as [number, number];
  const mocked = counts.defaulted - countCallsOfFindings(failed);
  const injected = countCallsOfFindings(faulty);
  const refused = counts.refused + atDoor;
  return [
    localize("{0} replayed", formatCount(counts.replayed)),
    ...(counts.recorded > 0 ? [localize("{0} recorded", formatCount(counts.recorded))] : []),
    ...(mocked > 0 ? [localize("{0} mocked", formatCount(mocked))] : []),
    ...(injected > 0 ? [localize("{0} with an injected fault", formatCount(injected))] : []),
    ...(refused > 0 ? [localize("{0} refused", formatCount(refused))] : []),
    localize("{0} missing", formatCount(counts.miss)),
    counts.forwarded > 0
      ? localize("{0} sent, {1} of them not recorded", formatCount(sent), formatCount(counts.forwarded))
      : localize("{0} sent", formatCount(sent)),
    ...(unseen > 0 ? [localize("{0} bypassed Tapedeck", formatCount(unseen))] : []),
  ].join(" · ");
}

/** Maximum tests with mocked responses to list, and maximum mocked responses of each. */
const MADE_UP_SHOWN = 10;

function madeUpLines(report: RunReport, color: boolean): readonly string[] {
  const tests = groupByTest(listFindingsOfKind(report, "made-up"));
  const shown = tests
    .slice(0, MADE_UP_SHOWN)
    .flatMap((findings) => [
      `${paint(color, "yellow", "~")} ${formatTestLine(findings[0]?.test, localize("calls outside any known test"))}`,
      ...findings.slice(0, MADE_UP_SHOWN).map((finding) => `    ${formatMadeUp(finding)}`),
      ...(findings.length > MADE_UP_SHOWN
        ? [localize("    and {0} more mocked", findings.length - MADE_UP_SHOWN)]
        : []),
    ]);
  const more = tests.length - MADE_UP_SHOWN;
  return more > 0
    ? [
        ...shown,
        localizeCount(
          more,
          "  and {0} more test with mocked calls",
          "  and {0} more tests with mocked calls",
        ),
      ]
    : shown;
}

/** "answered by reply 2 of the script: gpt-4o-mini "hi" (3 times)". */
export function formatMadeUp({ brief = localize("a mock"), label, event, count }: RunFinding): string {
  const what = event?.model ?? `${event?.provider} ${event?.operation}`;
  const times = count > 1 ? localize(" ({0} times)", count) : "";
  return makeVisibleLine(localize("answered by {0}: {1}", brief, `${what} ${label}${times}`));
}

/** Names the first test whose trials share a recording, and how to record each trial separately. */
function sharedLines({ shared }: RunReport, color: boolean): readonly string[] {
  const [first, ...others] = shared;
  if (first === undefined) return [];
  const text =
    others.length === 0
      ? localize("{0} trials of {1} share one recording.", first.trials, formatTestLine(first.test))
      : localizeCount(
          others.length,
          "{1} trials of {2} share one recording, and so do the trials of {0} more test.",
          "{1} trials of {2} share one recording, and so do the trials of {0} more tests.",
          first.trials,
          formatTestLine(first.test),
        );
  return [
    `${paint(color, "yellow", "!")} ${text}`,
    localize(
      '    If each should have its own reply, set "repeats" to "trials" in tapedeck.jsonc and record again.',
    ),
  ];
}

/** Returns one line for each cause that fails the run in every mode: "31 of 60 recordings could not be written; …". */
export function formatFailedLines(report: RunReport): readonly string[] {
  const failed = listFindingsOfKind(report, "failed").filter(({ failsRun }) => failsRun);
  const lost = failed.filter(({ event }) => event?.lost !== undefined);
  const secret = countCallsOfFindings(failed) - countCallsOfFindings(lost);
  const all = formatCount(countCallsOfFindings(lost) + report.recorded.length);
  return [
    ...(secret > 0
      ? [
          localizeCount(
            secret,
            '{0} call with a secret was not recorded, so the run fails (in CI, and with "secrets": "fail")',
            '{0} calls with secrets were not recorded, so the run fails (in CI, and with "secrets": "fail")',
          ),
        ]
      : []),
    ...groupBy(lost, ({ why }) => why).map((same) =>
      localize(
        "{0} of {1} recordings could not be written, so the run fails. {2}",
        formatCount(countCallsOfFindings(same)),
        all,
        same[0]?.why ?? "",
      ),
    ),
  ];
}

function missingLines(findings: readonly RunFinding[], color: boolean): readonly string[] {
  const lines = findings.flatMap(formatMissing).map((line) => `    ${line}`);
  return [
    `${paint(color, "red", "✘")} ${formatTestLine(findings[0]?.test, describeCallOutsideTests())}`,
    ...lines,
  ];
}

export const describeCallOutsideTests = (): string => localize("a call outside any known test");

/** Returns the place and title of a test; `unknown` if there is no known test. */
export function formatTestLine(
  test: TestRef | undefined,
  unknown = localize("outside any known test"),
): string {
  if (test === undefined) return unknown;
  return `${makeVisibleLine(formatTestPlace(test))}  ${makeVisibleLine(formatTestTitle(test))}`.trimEnd();
}

/** Returns which call was missed, and why. A recording that cannot be read also names the fix: recording does not help. */
export function formatMissing({
  kind,
  what,
  why,
  fix,
  count,
}: Finding): readonly [what: string, why: string] {
  return [
    count > 1 ? joinSentences(what, localize("{0} times.", count)) : what,
    kind === "broken" ? joinSentences(why, fix) : why,
  ];
}

/** Lists connections other than model calls, which a strict run does not answer. */
function leftLines({ left }: ObservedRun): readonly string[] {
  const readable = left.map((one) => ({ ...one, times: one.times - one.unread }));
  return [
    ...linesOf(readable, "times", (times, host) =>
      localizeCount(
        times,
        "{0} connection to {1} was not a model call.",
        "{0} connections to {1} were not model calls.",
        host,
      ),
    ),
    ...linesOf(left, "unread", (times, host) =>
      localizeCount(
        times,
        "{0} connection to {1} passed the proxy unread: TLS to a host of no known provider.",
        "{0} connections to {1} passed the proxy unread: TLS to a host of no known provider.",
        host,
      ),
    ),
    ...linesOf(left, "refused", (times, host) =>
      localizeCount(
        times,
        "{0} connection to {1} refused (--block-network).",
        "{0} connections to {1} refused (--block-network).",
        host,
      ),
    ),
  ];
}

function linesOf(
  left: ObservedRun["left"],
  count: "times" | "unread" | "refused",
  lineOf: (times: number, host: string) => string,
): readonly string[] {
  const counted = left.filter((one) => one[count] > 0);
  const shown = counted.slice(0, LEFT_SHOWN).map((one) => lineOf(one[count], makeVisibleLine(one.host)));
  const more = counted.length - LEFT_SHOWN;
  return more > 0 ? [...shown, localizeCount(more, "and {0} more host", "and {0} more hosts")] : shown;
}

const LEFT_SHOWN = 10;
