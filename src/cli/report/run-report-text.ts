import { spendingText } from "../../core/budget/spending.ts";
import type { TestRef } from "../../core/call.ts";
import { testPlace, testTitle } from "../../core/view/names.ts";
import { missSummary, missText, testSummary } from "./call-line.ts";
import type { RunEvent, MissedCall, MissedTest, RunReport } from "./run-report.ts";
import { paint } from "../terminal.ts";
import { visibleJson, visibleLine } from "../../core/view/visible.ts";

/** The report for people: counts, what is missing by test and why, and the command that records it. */
export function reportText(
  report: RunReport,
  options: {
    readonly colour: boolean;
    readonly recordCommand: string;
    /** The variable by which a proxy was set. */
    readonly proxy?: string;
  },
): string {
  const { colour } = options;
  const lines = [countsLine(report)];
  if (report.spent !== undefined) lines.push(`Spent: ${spendingText(report.spent)}.`);
  if (report.requests === 0) {
    lines.push(...noCalls(options.proxy));
  }
  for (const missed of report.missed) lines.push(...missedLines(missed, colour));
  for (const reason of report.reasons) lines.push(`${paint(colour, "yellow", "!")} ${visibleLine(reason)}`);
  if (report.failing.length > 0) lines.push(failingLine(report.failing.length, colour));
  if (report.missed.length > 0) lines.push(`Record them: ${paint(colour, "bold", options.recordCommand)}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** What usually is the cause, the most frequent first. */
function noCalls(proxy: string | undefined): readonly string[] {
  const sent = `    ${proxy} was set: a client that does not heed NO_PROXY sends its calls to that proxy, unseen here`;
  return ["No call reached Tapedeck. Likely causes:", ...(proxy === undefined ? [] : [sent]), ...NO_CALLS];
}

const NO_CALLS = [
  "    the client has its address from code: let it read OPENAI_BASE_URL and its like, or TAPEDECK_URL",
  "    the client is mocked (vi.mock, msw, nock, responses): then there is nothing to replay",
  "    the command starts its tests elsewhere (a container, sudo, env -i), or passes no variables on (tox, turbo)",
  "    no test ran: a filter, a skipped suite, a cached result",
  "With --require-calls such a run fails.",
];

function countsLine({ counts, leftMachine }: RunReport): string {
  const optional = [
    [counts.recorded, "recorded"],
    [counts.forwarded, "passed on, not recorded"],
    [counts.defaulted, "answered with the default"],
    [counts.refused, "refused"],
  ] as const;
  return [
    `${counts.replayed} replayed`,
    ...optional.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`),
    `${counts.miss} missing`,
    `${leftMachine} left this machine`,
  ].join(" · ");
}

function missedLines({ test, calls }: MissedTest, colour: boolean): readonly string[] {
  const title = test === undefined ? "a call outside any known test" : testLine(test);
  return [`${paint(colour, "red", "✘")} ${title}`, ...calls.map((call) => `    ${missedLine(call)}`)];
}

function failingLine(count: number, colour: boolean): string {
  const calls = count === 1 ? "a call holds a secret" : `${count} calls hold secrets`;
  return `${paint(colour, "red", "✘")} ${calls}; not recorded: in CI, or with "secrets": "fail", the run fails by it`;
}

function testLine(test: TestRef): string {
  return `${visibleLine(testPlace(test))}  ${visibleLine(testTitle(test))}`.trimEnd();
}

function missedLine({ event, times }: MissedCall): string {
  const repeated = times > 1 ? ` (${times} times)` : "";
  return `${callName(event)}${repeated}: ${whyMissed(event)}`;
}

/** A call in a few words: its model, or what it is, and what it asks. */
export function callName({ model, provider, operation, label }: RunEvent): string {
  return visibleLine(`${model ?? `${provider} ${operation}`} "${label}"`);
}

/** Why it was missed. A recording that cannot be read is a miss as well; its reason says where it is broken. */
export function whyMissed({ miss, reason }: RunEvent): string {
  return miss === undefined ? visibleLine(reason ?? "not recorded") : missText(miss);
}

/** The report for programs, as one JSON line. */
export function reportJson(
  report: RunReport,
  codes: { readonly command: number; readonly exit: number },
): string {
  const { mode, requests, counts, leftMachine, reasons, spent } = report;
  const secrets = report.failing.length;
  const missed = report.missed.flatMap(({ test, calls }) =>
    calls.map(({ event, times }) => ({
      test: test === undefined ? null : testSummary(test),
      provider: event.provider,
      operation: event.operation,
      model: event.model ?? null,
      label: event.label,
      key: event.key,
      times,
      ...(event.miss !== undefined && missSummary(event.miss)),
      ...(event.reason !== undefined && { reason: event.reason }),
    })),
  );
  return visibleJson({
    event: "report",
    mode,
    requests,
    counts,
    leftMachine,
    missed,
    reasons,
    spent,
    secrets,
    ...codes,
  });
}
