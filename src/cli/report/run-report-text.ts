import { spendingText } from "../../core/budget/spending.ts";
import type { TestRef } from "../../core/call.ts";
import { testPlace, testTitle } from "../../core/view/names.ts";
import { missSummary, testSummary } from "./call-line.ts";
import { leftLines } from "./left-lines.ts";
import { bypassText, madeUpReason } from "../../core/finding.ts";
import { teamLines } from "./team-report.ts";
import type { RunEvent, MissedCall, MissedTest, RunReport } from "./run-report.ts";
import type { Seen } from "../../server/seen.ts";
import { whyUnreached, type UnreachedFacts } from "../../server/why-unreached.ts";
import { missLines } from "../../core/miss.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { countText, plural } from "../../core/plural.ts";
import { paint } from "../terminal.ts";
import { ruleJson } from "../../core/view/rule-text.ts";
import { visibleJson, visibleLine } from "../../core/view/visible.ts";
import { groupBy } from "../../core/group-by.ts";

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
  for (const missed of report.missed) lines.push(...missedLines(missed, colour));
  lines.push(...madeUpLines(report, colour));
  for (const reason of otherReasons(report))
    lines.push(`${paint(colour, "yellow", "!")} ${visibleLine(reason)}`);
  lines.push(...sharedLines(report, colour));
  if (report.failing.length > 0) lines.push(failingLine(report.failing.length, colour));
  lines.push(...lostLines(report).map((line) => `${paint(colour, "red", "✘")} ${line}`));
  if (report.overLimit.length > 0) lines.push(overLimitLine(report.overLimit.length, colour));
  if (options.proposesRules !== true && hasNearest(report)) lines.push(RULES);
  if (report.missed.length > 0) lines.push(`Record them: ${paint(colour, "bold", options.recordCommand)}`);
  return lines.map((line) => `${line}\n`).join("");
}

const RULES = "If what differs does not matter: run it with --propose-rules, which shows rules to add.";

function hasNearest({ missed }: RunReport): boolean {
  return missed.some(({ calls }) => calls.some(({ event }) => event.miss?.nearest !== undefined));
}

/** `3 of the replayed calls answered from tests/data/rsp_cache.json`. */
function cachedLines({ cached }: RunReport): readonly string[] {
  const files = cached.map(({ cacheFile }) => cacheFile ?? "");
  return groupBy(files, (file) => file).map(
    (same) => `${countText(same.length)} of the replayed calls answered from ${visibleLine(same[0] ?? "")}`,
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

function seenLines({ passed, processes }: Seen, colour: boolean): readonly string[] {
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
export function countsLine({ counts, leftMachine: sent, seen, faulty }: RunReport): string {
  const failed = faulty.filter(({ outcome, madeUp }) => outcome === "defaulted" && !madeUp).length;
  const [atDoor, unseen] = [true, false].map((isRefused) =>
    seen.passed.reduce((sum, { times, mend }) => ((mend !== undefined) === isRefused ? sum + times : sum), 0),
  ) as [number, number];
  const optional = [
    [counts.recorded, "recorded"],
    [counts.defaulted - failed, "made up"],
    [faulty.length, "with a fault on purpose"],
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

function madeUpLines({ madeUp }: RunReport, colour: boolean): readonly string[] {
  const shown = madeUp
    .slice(0, MADE_UP_SHOWN)
    .flatMap(({ test, calls }) => [
      `${paint(colour, "yellow", "~")} ${testLine(test, "calls")}`,
      ...calls.slice(0, MADE_UP_SHOWN).map(({ event, times }) => `    ${madeUpText(event, times)}`),
      ...(calls.length > MADE_UP_SHOWN ? [`    and ${calls.length - MADE_UP_SHOWN} more made up`] : []),
    ]);
  const more = madeUp.length - MADE_UP_SHOWN;
  return more > 0 ? [...shown, `  and ${plural(more, "more test")} with made-up answers`] : shown;
}

/** "made up by reply 2 of the script: gpt-4o-mini "hi", 3 times". */
export function madeUpText(event: RunEvent, times: number): string {
  const by = visibleLine(event.madeUp?.by ?? "a mock");
  return `made up by ${by}: ${callName(event)}${times > 1 ? `, ${times} times` : ""}`;
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

/** What is told with made-up answers is not said again; what else happened to one is. */
function otherReasons({ reasons, madeUp }: RunReport): readonly string[] {
  const told = new Set(
    madeUp.flatMap(({ calls }) => calls.map(({ event }) => madeUpReason(event.madeUp?.by ?? ""))),
  );
  return reasons.filter((reason) => !told.has(reason));
}

/** "31 of 60 recordings could not be written; the run fails. The disk is full." Once for each cause. */
export function lostLines({ lost, counts }: RunReport): readonly string[] {
  const all = plural(lost.length + counts.recorded, "recording");
  return groupBy(lost, (event) => event.lost ?? "").map(
    (events) =>
      `${countText(events.length)} of ${all} could not be written; the run fails. ${visibleLine(events[0]?.lost ?? "")}`,
  );
}

function overLimitLine(count: number, colour: boolean): string {
  const calls = count === 1 ? "a call is" : `${count} calls are`;
  return `${paint(colour, "red", "✘")} ${calls} over the limits of context; the run fails by it`;
}

function missedLines({ test, calls }: MissedTest, colour: boolean): readonly string[] {
  const lines = calls.flatMap(missedText).map((line) => `    ${line}`);
  return [`${paint(colour, "red", "✘")} ${testLine(test, "a call")}`, ...lines];
}

function failingLine(count: number, colour: boolean): string {
  const calls = count === 1 ? "a call holds a secret" : `${count} calls hold secrets`;
  return `${paint(colour, "red", "✘")} ${calls}; not recorded: in CI, or with "secrets": "fail", the run fails by it`;
}

/** A test's place and title; where none is known, of what it is none. */
export function testLine(test: TestRef | undefined, what = ""): string {
  if (test === undefined) return `${what} outside any known test`.trim();
  return `${visibleLine(testPlace(test))}  ${visibleLine(testTitle(test))}`.trimEnd();
}

/** A call in a few words: its model, or what it is, and what it asks. */
export function callName({ model, provider, operation, label }: RunEvent): string {
  return visibleLine(`${model ?? `${provider} ${operation}`} "${label}"`);
}

/** Which call, and why it was missed. A recording that cannot be read is a miss too; its reason says where it is broken. */
export function missedText({ event, times }: MissedCall): readonly [what: string, why: string] {
  const { miss, reason } = event;
  const repeated = times > 1 ? ` ${times} times.` : "";
  const [what, why] =
    miss === undefined
      ? [`${callName(event)} is not recorded.`, visibleLine(reason ?? "")]
      : missLines(miss, { key: miss.key });
  return [`${what}${repeated}`, why];
}

type CallNames = Pick<RunEvent, "provider" | "operation" | "model" | "label" | "key"> & {
  readonly test?: TestRef | undefined;
};

/** What names a call in JSON for programs. */
function callIdentity({ test, provider, operation, model, label, key }: CallNames): object {
  return { test: test ? testSummary(test) : null, provider, operation, model: model ?? null, label, key };
}

/** The report for programs, as one JSON line. */
export function reportJson(
  report: RunReport,
  codes: { readonly command: number; readonly exit: number },
): string {
  const { mode, requests, counts, leftMachine, reasons, spent, seen, rules = [] } = report;
  const unseen = seen.passed.map(({ test, ...call }) => ({ ...call, test: test ? testSummary(test) : null }));
  const secrets = report.failing.length;
  const madeUp = report.madeUp.flatMap(({ calls }) =>
    calls.map(({ event, times }) => ({ ...callIdentity(event), by: event.madeUp?.by, times })),
  );
  const missed = report.missed.flatMap(({ test, calls }) =>
    calls.map(({ event, times }) => ({
      ...callIdentity({ ...event, test }),
      times,
      ...(event.miss !== undefined && missSummary(event.miss)),
      ...pickDefined({ reason: event.reason }),
    })),
  );
  return visibleJson({
    event: "report",
    mode,
    requests,
    counts,
    leftMachine,
    missed,
    rules: rules.map(({ rule, misses }) => ({ rule: ruleJson(rule), misses })),
    reasons,
    spent,
    secrets,
    lost: report.lost.length,
    overLimit: report.overLimit.length,
    madeUp,
    shared: report.shared.map(({ test, trials }) => ({ test: testSummary(test), trials })),
    faults: report.faulty.map((event) => ({ ...callIdentity(event), fault: event.fault })),
    unseen,
    processes: seen.processes,
    mockedBy: seen.mockedBy,
    elsewhere: seen.elsewhere,
    connections: seen.left,
    sealed: seen.isSealed === true,
    team: report.team,
    ...codes,
  });
}
