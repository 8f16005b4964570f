import { localize } from "../../core/base/localize.ts";
import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { TestRef } from "../../core/call/call.ts";
import { bypassText } from "../../core/view/finding.ts";
import { formatTestTitle } from "../../core/call/test-names.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import type { RunFinding, RunReport } from "./run-report.ts";
import { formatMissing } from "./run-report-text.ts";

/** A finding as machines show it to people: beside the line of a test, or in a list of failures. */
export interface ReportRow {
  readonly kind: RunFinding["kind"];
  readonly level: "error" | "warning";
  readonly test?: TestRef;
  /** Relative to `ReportPlace.base`, "/" between segments; undefined if no place is known. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number | undefined;
  /** The test, outermost title first. */
  readonly title: string;
  readonly message: string;
}

export interface ReportPlace {
  /** Folders to which the files of tests may be relative. */
  readonly roots: readonly string[];
  /** Absolute: what addresses are relative to. */
  readonly base: string;
  /** Whether calls that bypassed Tapedeck are accepted. */
  readonly allowsUnseen: boolean;
  /** Whether a run without calls is an error, not a warning. */
  readonly requiresCalls: boolean;
}

/** What fails a run, or may. Made-up answers, and faults on purpose, do not. */
export function listReportRows(report: RunReport, place: ReportPlace): readonly ReportRow[] {
  const rows = report.findings.flatMap((finding) => {
    const level = levelOf(finding, report, place);
    if (level === undefined) return [];
    const { kind, test, bypassed } = finding;
    const message = bypassed === undefined ? formatMissing(finding).join(" ") : bypassText(bypassed);
    const title =
      test === undefined
        ? localize("A call outside any known test")
        : makeVisibleLine(formatTestTitle(test)) || test.file;
    const at = test && { test, file: getPathFromBase(test.file, place), line: test.line };
    return [{ kind, level, title, message, ...at }];
  });
  return report.requests > 0 ? rows : [...rows, noCalls(place)];
}

function levelOf(
  { kind, failsRun, bypassed }: RunFinding,
  { mode }: RunReport,
  { allowsUnseen }: ReportPlace,
): ReportRow["level"] | undefined {
  if (kind === "missing" || kind === "broken" || failsRun) return "error";
  if (bypassed === undefined) return undefined;
  return mode === "strict" && (bypassed.fix !== undefined || !allowsUnseen) ? "error" : "warning";
}

function noCalls({ requiresCalls }: ReportPlace): ReportRow {
  return {
    kind: "unreached",
    level: requiresCalls ? "error" : "warning",
    title: localize("No calls"),
    message: localize(
      "No call reached Tapedeck. The address of the client may be in code, the client may be mocked, or the tests may run elsewhere.",
    ),
  };
}

/** A test's file as seen from the base; as the runner named it if it is in none of the folders. */
export function getPathFromBase(file: string, { roots, base }: Pick<ReportPlace, "roots" | "base">): string {
  const root = roots.find((folder) => existsSync(join(folder, file)));
  const path = root === undefined ? file : relative(base, join(root, file));
  return path.split(sep).join("/");
}
