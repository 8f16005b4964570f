import { spendingText } from "../../core/call/spending.ts";
import type { TestRef } from "../../core/call/call.ts";
import { testPlace, testTitle } from "../../core/call/test-names.ts";
import { missSummary, testSummary } from "./call-line.ts";
import { bypassText, type Finding } from "../../core/view/finding.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import {
  teamLines,
  callsOf,
  findingsOfKind,
  groupByTest,
  type RunFinding,
  type RunReport,
} from "./run-report.ts";
import type { ObservedRun } from "../../server/seen.ts";
import { whyUnreached, type UnreachedFacts } from "../../server/why-unreached.ts";
import { countText, localizeCount, plural } from "../../core/base/plural.ts";
import { paint } from "../terminal.ts";
import { ruleJson } from "../../core/call/rule-text.ts";
import { visibleJson, visibleLine } from "../../core/base/visible.ts";
import { groupBy } from "../../core/base/group-by.ts";

interface ReportOptions {
  readonly colour: boolean;
  readonly recordCommand: string;
  /** The variable by which a proxy was set. */
  readonly proxy?: string;
  /** Variables of keys that the command did not have although its calls might leave the machine. */
  readonly keysMissing?: UnreachedFacts["keysMissing"];
  /** The test runner that the command line names, if any. */
  readonly runner?: string | undefined;
  /** What the command ended with. */
  readonly commandCode?: number;
  /** Whether rules for what is missing follow the report. */
  readonly proposesRules?: boolean;
  /** Whether the tests were running before the server started. */
  readonly isAttached?: boolean;
  /** Whether processes with hooks say that they start. */
  readonly tellsStart?: boolean;
}

/** The report for people: counts, what is missing by test and why, and the command that records it. */
export function reportText(report: RunReport, options: ReportOptions): string {
  const { colour } = options;
  const lines = [countsLine(report)];
  lines.push(...cachedLines(report));
  if (report.team !== undefined) lines.push(...teamLines(report.team));
  if (report.spent !== undefined) lines.push(`Spent: ${spendingText(report.spent)}.`);
  if (report.requests === 0) {
    lines.push(...noCalls(options, report));
  }
  lines.push(...seenLines(report.seen, colour), ...leftLines(report.seen));
  if (report.seen.isSealed === true) lines.push(SEALED);
  const missing = findingsOfKind(report, "missing", "broken");
  for (const findings of groupByTest(missing)) lines.push(...missingLines(findings, colour));
  lines.push(...madeUpLines(report, colour));
  for (const reason of report.reasons) lines.push(`${paint(colour, "yellow", "!")} ${visibleLine(reason)}`);
  lines.push(...sharedLines(report, colour));
  lines.push(...failedLines(report).map((line) => `${paint(colour, "red", "✘")} ${line}`));
  const hasNearest = missing.some(({ event }) => event?.miss?.nearest !== undefined);
  if (options.proposesRules !== true && hasNearest) lines.push(rulesLine(options));
  if (missing.length > 0) lines.push(`Record them: ${paint(colour, "bold", options.recordCommand)}`);
  return lines.map((line) => `${line}\n`).join("");
}

function rulesLine({ isAttached = false }: ReportOptions): string {
  const how = isAttached ? "`tapedeck run --propose-rules --last`" : "it with --propose-rules";
  return `If what differs does not matter: run ${how}, which shows rules to add.`;
}

/** One line per cache file that answered calls. */
function cachedLines({ cached }: RunReport): readonly string[] {
  const files = cached.map(({ cacheFile }) => cacheFile ?? "");
  return groupBy(files, (file) => file).map((same) =>
    localizeCount(
      same.length,
      "{0} replayed call was answered from {1}.",
      "{0} replayed calls were answered from {1}.",
      visibleLine(same[0] ?? ""),
    ),
  );
}

/** The cause where it is known, else what usually is, the most frequent first. */
function noCalls(
  { proxy, keysMissing = [], runner, tellsStart = false, commandCode = 0 }: ReportOptions,
  { seen }: RunReport,
): readonly string[] {
  if (seen.passed.length > 0)
    return seen.passed.some(({ mend }) => mend !== undefined)
      ? ["Tapedeck answered no call: those of this run were refused."]
      : ["No call reached Tapedeck: those of this run passed it by."];
  const { cause, why, mend } = whyUnreached({ seen, keysMissing, runner, tellsStart });
  const sent = `    ${proxy} was set: a client that does not heed NO_PROXY sends its calls to that proxy, unseen here`;
  const failed = `    the command failed with ${commandCode}, maybe before its first call: see what it says above`;
  const others = [...(commandCode === 0 ? [] : [failed]), ...(proxy === undefined ? [] : [sent])];
  const mayBe = cause === "unknown" || cause === "process" ? others : [];
  if (cause !== "unknown") return [`No call reached Tapedeck. ${why} ${mend}`, ...mayBe, REQUIRE_CALLS];
  return ["No call reached Tapedeck. Likely causes:", ...mayBe, ...NO_CALLS];
}

const REQUIRE_CALLS = "With --require-calls such a run fails.";
const SEALED = "Sealed: what the command started had no network but Tapedeck's server.";

const NO_CALLS = [
  "    the client has its address from code: let it read OPENAI_BASE_URL and its like, or TAPEDECK_URL",
  "    the client is mocked (vi.mock, msw, nock, responses): then there is nothing to replay",
  "    the command starts its tests elsewhere (a container, sudo, env -i), or passes no variables on (tox, turbo)",
  "    no test ran, or none that calls: a filter, a skipped suite, a cached result, a client that is built and not used",
  REQUIRE_CALLS,
];

function seenLines({ passed, processes }: ObservedRun, colour: boolean): readonly string[] {
  if (passed.length === 0) return [];
  return [
    ...passed.map(
      (call) =>
        `${paint(colour, "red", "✘")} ${call.test === undefined ? "" : `${testLine(call.test)}: `}${bypassText(call)}`,
    ),
    ...(passed.every(({ mend }) => mend !== undefined)
      ? []
      : [
          `Looked at: ${plural(processes, "process", "processes")} with Tapedeck's hooks; others were not seen.`,
        ]),
  ];
}

/** `41 replayed · 2 missing · 0 sent`. */
export function countsLine(report: RunReport): string {
  const { counts, leftMachine: sent, seen } = report;
  const faulty = findingsOfKind(report, "faulty");
  const failed = faulty.filter(({ event }) => event?.outcome === "defaulted" && event.madeUp === undefined);
  const [atDoor, unseen] = [true, false].map((isRefused) =>
    seen.passed.reduce((sum, { times, mend }) => ((mend !== undefined) === isRefused ? sum + times : sum), 0),
  ) as [number, number];
  const optional = [
    [counts.recorded, "recorded"],
    [counts.defaulted - callsOf(failed), "made up"],
    [callsOf(faulty), "with a fault on purpose"],
    [counts.refused + atDoor, "refused"],
  ] as const;
  return [
    `${countText(counts.replayed)} replayed`,
    ...optional.filter(([count]) => count > 0).map(([count, word]) => `${countText(count)} ${word}`),
    `${countText(counts.miss)} missing`,
    `${countText(sent)} sent${counts.forwarded > 0 ? `, ${countText(counts.forwarded)} of them not recorded` : ""}`,
    ...(unseen > 0 ? [`${countText(unseen)} passed by`] : []),
  ].join(" · ");
}

/** Tests that went by made-up answers, and who made them up: so many of each. */
const MADE_UP_SHOWN = 10;

function madeUpLines(report: RunReport, colour: boolean): readonly string[] {
  const tests = groupByTest(findingsOfKind(report, "made-up"));
  const shown = tests
    .slice(0, MADE_UP_SHOWN)
    .flatMap((findings) => [
      `${paint(colour, "yellow", "~")} ${testLine(findings[0]?.test, "calls")}`,
      ...findings.slice(0, MADE_UP_SHOWN).map((finding) => `    ${madeUpText(finding)}`),
      ...(findings.length > MADE_UP_SHOWN ? [`    and ${findings.length - MADE_UP_SHOWN} more made up`] : []),
    ]);
  const more = tests.length - MADE_UP_SHOWN;
  return more > 0 ? [...shown, `  and ${plural(more, "more test")} with made-up answers`] : shown;
}

/** "made up by reply 2 of the script: gpt-4o-mini "hi", 3 times". */
export function madeUpText({ brief = "a mock", label, event, count }: RunFinding): string {
  const what = event?.model ?? `${event?.provider} ${event?.operation}`;
  return visibleLine(`made up by ${brief}: ${what} ${label}${count > 1 ? `, ${count} times` : ""}`);
}

/** `3 trials of a.test.ts answers share one recording.` Of the first test, with what records one for each. */
function sharedLines({ shared }: RunReport, colour: boolean): readonly string[] {
  const [first, ...others] = shared;
  if (first === undefined) return [];
  const more = others.length > 0 ? `, and those of ${plural(others.length, "more test")}` : "";
  return [
    `${paint(colour, "yellow", "!")} ${first.trials} trials of ${testLine(first.test)} share one recording${more}.`,
    '    To record each trial on its own, set "repeats" to "trials" in tapedeck.jsonc and record again.',
  ];
}

/** Returns one line for each cause that fails the run in every mode: "31 of 60 recordings could not be written; …". */
export function failedLines(report: RunReport): readonly string[] {
  const failed = findingsOfKind(report, "failed").filter(({ failsRun }) => failsRun);
  const lost = failed.filter(({ event }) => event?.lost !== undefined);
  const over = callsOf(failed.filter(({ event }) => event?.outcome === "refused"));
  const secret = callsOf(failed) - callsOf(lost) - over;
  const all = plural(callsOf(lost) + report.recorded.length, "recording");
  return [
    ...(secret > 0
      ? [
          `${secret === 1 ? "a call holds a secret" : `${secret} calls hold secrets`}; not recorded: in CI, or with "secrets": "fail", the run fails by it`,
        ]
      : []),
    ...groupBy(lost, ({ why }) => why).map(
      (same) => `${countText(callsOf(same))} of ${all} could not be written; the run fails. ${same[0]?.why}`,
    ),
    ...(over > 0
      ? [`${over === 1 ? "a call is" : `${over} calls are`} over the limits of context; the run fails by it`]
      : []),
  ];
}

function missingLines(findings: readonly RunFinding[], colour: boolean): readonly string[] {
  const lines = findings.flatMap(missingText).map((line) => `    ${line}`);
  return [`${paint(colour, "red", "✘")} ${testLine(findings[0]?.test, "a call")}`, ...lines];
}

/** A test's place and title; where none is known, of what it is none. */
export function testLine(test: TestRef | undefined, what = ""): string {
  if (test === undefined) return `${what} outside any known test`.trim();
  return `${visibleLine(testPlace(test))}  ${visibleLine(testTitle(test))}`.trimEnd();
}

/** Which call, and why it was missed. */
export function missingText({ what, why, count }: Finding): readonly [what: string, why: string] {
  return [`${what}${count > 1 ? ` ${count} times.` : ""}`, why];
}

/** The report for programs, as one JSON line. */
export function reportJson(
  report: RunReport,
  codes: { readonly command: number; readonly exit: number },
): string {
  const { mode, requests, counts, leftMachine, reasons, spent, seen, rules = [] } = report;
  return visibleJson({
    event: "report",
    mode,
    requests,
    counts,
    leftMachine,
    findings: report.findings.map(findingJson),
    rules: rules.map(({ rule, misses }) => ({ rule: ruleJson(rule), misses })),
    reasons,
    spent,
    shared: report.shared.map(({ test, trials }) => ({ test: testSummary(test), trials })),
    processes: seen.processes,
    mockedBy: seen.mockedBy,
    elsewhere: seen.elsewhere,
    connections: seen.left,
    sealed: seen.isSealed === true,
    team: report.team,
    ...codes,
  });
}

function findingJson({
  id,
  kind,
  label,
  what,
  why,
  fix,
  brief,
  key,
  entry,
  count,
  ...more
}: RunFinding): object {
  const { test, event, failsRun } = more;
  return {
    id,
    kind,
    test: test ? testSummary(test) : null,
    ...(event && { provider: event.provider, operation: event.operation, model: event.model ?? null }),
    label: event?.label ?? label,
    ...pickDefined({ brief, key, entry }),
    what,
    why,
    fix,
    count,
    ...(failsRun && { failsRun }),
    ...(event?.miss && missSummary(event.miss)),
  };
}

/** Connections beside calls to models: what a strict run does not answer. */
function leftLines({ left }: ObservedRun): readonly string[] {
  const readable = left.map((one) => ({ ...one, times: one.times - one.unread }));
  return [
    ...linesOf(readable, "times", (times) => (times === 1 ? "was not a model call" : "were not model calls")),
    ...linesOf(left, "unread", () => "passed the proxy unread: TLS to a host of no known provider"),
    ...linesOf(left, "refused", () => "refused (--block-network)"),
  ];
}

function linesOf(
  left: ObservedRun["left"],
  count: "times" | "unread" | "refused",
  outcome: (times: number) => string,
): readonly string[] {
  const counted = left.filter((one) => one[count] > 0);
  const shown = counted
    .slice(0, LEFT_SHOWN)
    .map((one) => `${plural(one[count], "connection")} to ${visibleLine(one.host)} ${outcome(one[count])}.`);
  const more = counted.length - LEFT_SHOWN;
  return more > 0 ? [...shown, `and ${plural(more, "more host")}`] : shown;
}

const LEFT_SHOWN = 10;
