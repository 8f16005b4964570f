import { localize } from "../../core/base/localize.ts";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  createCannotWrite,
  type TapedeckError,
  handleTapedeckErrors,
  createWrongUsage,
} from "../../core/base/errors.ts";
import { renderHtmlReport } from "./html.ts";
import { renderJunitReport } from "./junit.ts";
import { renderMarkdownReport } from "./markdown.ts";
import { listReportRows, type ReportPlace, type ReportRow } from "./report-rows.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";
import type { RunReport, RunFinding } from "./run-report.ts";
import { getReportBase, type Terminal } from "../terminal.ts";
import type { Arguments } from "../command.ts";
import { makeVisible, writeVisibleJson } from "../../core/base/visible.ts";
import { withoutWorkflowCommands } from "../../core/base/workflow-commands.ts";
import { summarizeMiss, summarizeTest } from "./call-line.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { convertRuleToJson } from "../../core/call/rule-text.ts";

const KINDS = ["junit", "json", "github", "markdown", "html"] as const;
type ReportKind = (typeof KINDS)[number];

/** A requested report. It is written to standard output if `file` is absent. */
export interface WantedReport {
  readonly kind: ReportKind;
  readonly file?: string;
}

export const getReportHelp = () =>
  [
    "--report KIND[=FILE]",
    localize("write a report: {0}; to FILE, or to standard output; repeatable", KINDS.join(", ")),
  ] as const;

/** @throws TapedeckError `tapedeck_usage` for an unknown kind, or if two reports would share standard output. */
export function readWantedReports(args: Arguments, logsJson: boolean): readonly WantedReport[] {
  const reports: readonly WantedReport[] = [
    ...args.values("report").map(wantedReport),
    ...(args.has("json") ? [{ kind: "json" } as const] : []),
  ];
  const out = reports.filter(({ file }) => file === undefined);
  const documents = out.filter(isDocument).length;
  if (out.length > 1 || (documents > 0 && logsJson)) {
    throw createWrongUsage(
      localize("Only one report can be written to standard output; with --log json, only the JSON report."),
      localize("Choose files for the others, e.g. --report junit=tapedeck.xml"),
    );
  }
  return reports;
}

function wantedReport(text: string): WantedReport {
  const [name, ...rest] = text.split("=");
  const kind = KINDS.find((known) => known === name);
  if (kind === undefined)
    throw createWrongUsage(
      localize('There is no report "{0}".', name ?? ""),
      localize("The reports are {0}.", KINDS.join(", ")),
    );
  if (rest.length === 0) return { kind };
  const file = rest.join("=");
  if (file === "")
    throw createWrongUsage(
      localize("--report {0} needs a file.", text),
      localize("Use --report {0}=FILE.", kind),
    );
  return { kind, file };
}

/** Whether a report on standard output is a document, so that nothing else may be written there. */
export function isDocument({ kind, file }: WantedReport): boolean {
  return file === undefined && kind !== "json" && kind !== "github";
}

export interface ReportInput extends Omit<ReportPlace, "base"> {
  readonly report: RunReport;
  /** Absent if the run had no calls. */
  readonly record?: RunRecord | undefined;
  readonly codes: { readonly command: number; readonly exit: number };
}

/**
 * Writes the reports and returns an error for each report that could not be written. With GitHub annotations, also
 * appends a job summary to the file that `GITHUB_STEP_SUMMARY` names.
 */
export async function writeReports(
  reports: readonly WantedReport[],
  reporting: ReportInput,
  terminal: Terminal,
): Promise<readonly TapedeckError[]> {
  if (reports.length === 0) return [];
  const place = { ...reporting, base: getReportBase(terminal) };
  const rows = listReportRows(reporting.report, place);
  const failures: TapedeckError[] = [];
  for (const { kind, file } of reports) {
    // A report that cannot be generated fails like one that cannot be written, and the run keeps its outcome.
    const makeText = async (): Promise<string> => TEXTS[kind](reporting, rows, place);
    const text = await makeText().catch(handleTapedeckErrors((error) => error));
    if (typeof text !== "string") {
      failures.push(text);
      continue;
    }
    // GitHub annotations are workflow commands from Tapedeck itself; text from other sources is escaped in them.
    if (file !== undefined) failures.push(...writeReport(resolve(terminal.cwd, file), text, writeFileSync));
    else if (kind === "github") terminal.outAsIs(text);
    else terminal.out(text);
  }
  const summary = terminal.env["GITHUB_STEP_SUMMARY"];
  if (summary && reports.some(({ kind }) => kind === "github"))
    failures.push(
      ...writeReport(
        summary,
        withoutWorkflowCommands(renderMarkdownReport(reporting.report)),
        appendFileSync,
      ),
    );
  return failures;
}

type Text = (reporting: ReportInput, rows: readonly ReportRow[], place: ReportPlace) => string;

const TEXTS: Readonly<Record<ReportKind, Text>> = {
  junit: ({ report }, rows, place) => withoutWorkflowCommands(renderJunitReport(report, rows, place)),
  json: ({ report, codes }) => `${formatReportJson(report, codes)}\n`,
  html: ({ record }) => withoutWorkflowCommands(renderHtmlReport(record)),
  github: (_, rows) => githubReport(rows),
  markdown: ({ report }) => withoutWorkflowCommands(renderMarkdownReport(report)),
};

function writeReport(
  path: string,
  text: string,
  write: (path: string, text: string) => void,
): readonly TapedeckError[] {
  try {
    mkdirSync(dirname(path), { recursive: true });
    write(path, text);
    return [];
  } catch (cause) {
    return [createCannotWrite(localize("The report {0}", path), "--report KIND=FILE", cause)];
  }
}

/**
 * Returns annotations for GitHub Actions, one per line. Text from other sources is escaped, so that it cannot end a
 * line or a property, or start a command.
 * Source: github.com/actions/toolkit, packages/core/src/command.ts.
 */
function githubReport(rows: readonly ReportRow[]): string {
  return rows
    .map(({ level, file, line, title, message }) => {
      const place = file === undefined ? [] : [["file", file], ...(line ? [["line", String(line)]] : [])];
      const properties = [...place, ["title", `Tapedeck: ${title}`]]
        .map(([name = "", value = ""]) => `${name}=${escapedProperty(value)}`)
        .join(",");
      return `::${level} ${properties}::${escapedText(message)}\n`;
    })
    .join("");
}

const escapedText = (text: string): string =>
  withoutWorkflowCommands(makeVisible(text)).replaceAll("%", "%25").replaceAll("\n", "%0A");

function escapedProperty(text: string): string {
  return escapedText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** The report for programs, as one JSON line. */
function formatReportJson(
  report: RunReport,
  codes: { readonly command: number; readonly exit: number },
): string {
  const { mode, requests, counts, leftMachine, reasons, spent, observed, rules = [] } = report;
  return writeVisibleJson({
    event: "report",
    mode,
    requests,
    counts,
    leftMachine,
    findings: report.findings.map(findingJson),
    rules: rules.map(({ rule, misses }) => ({ rule: convertRuleToJson(rule), misses })),
    reasons: [...reasons.keys()],
    spent,
    shared: report.shared.map(({ test, trials }) => ({ test: summarizeTest(test), trials })),
    processes: observed.processes,
    mockedBy: observed.mockedBy,
    elsewhere: observed.elsewhere,
    connections: observed.left,
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
