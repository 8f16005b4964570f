import { summarizeMiss, summarizeTest } from "./call-line.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { type RunFinding, type RunReport } from "./run-report.ts";
import { convertRuleToJson } from "../../core/call/rule-text.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";

/** The report for programs, as one JSON line. */
export function formatReportJson(
  report: RunReport,
  codes: { readonly command: number; readonly exit: number },
): string {
  const { mode, requests, counts, leftMachine, reasons, spent, seen, rules = [] } = report;
  return writeVisibleJson({
    event: "report",
    mode,
    requests,
    counts,
    leftMachine,
    findings: report.findings.map(findingJson),
    rules: rules.map(({ rule, misses }) => ({ rule: convertRuleToJson(rule), misses })),
    reasons,
    spent,
    shared: report.shared.map(({ test, trials }) => ({ test: summarizeTest(test), trials })),
    processes: seen.processes,
    mockedBy: seen.mockedBy,
    elsewhere: seen.elsewhere,
    connections: seen.left,
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
    test: test ? summarizeTest(test) : null,
    ...(event && { provider: event.provider, operation: event.operation, model: event.model ?? null }),
    label: event?.label ?? label,
    ...pickDefined({ brief, key, entry }),
    what,
    why,
    fix,
    count,
    ...(failsRun && { failsRun }),
    ...(event?.miss && summarizeMiss(event.miss)),
  };
}
