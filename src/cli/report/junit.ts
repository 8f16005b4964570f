import { formatTestTitle, getTestId } from "../../core/call/test-names.ts";
import { getPathFromBase, type ReportPlace, type ReportRow } from "./report-rows.ts";
import { countCallsOfFindings, listFindingsOfKind, type RunReport } from "./run-report.ts";
import { formatMadeUp } from "./run-report-text.ts";
import { makeVisible } from "../../core/base/visible.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** A case of the suite: a test that made calls, or what is no test's. */
interface Case {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly seconds: number;
  readonly failures: readonly ReportRow[];
  /** Who made up which of its answers, a line each. */
  readonly madeUp?: readonly string[];
}

/** JUnit XML: one suite, a case for each test that made calls, failed where one of its calls is not recorded. */
export function renderJunitReport(report: RunReport, rows: readonly ReportRow[], place: ReportPlace): string {
  const madeUp = listFindingsOfKind(report, "made-up");
  const faulty = listFindingsOfKind(report, "faulty");
  const tests = report.tests.map(({ test, ms }) => ({
    name: formatTestTitle(test) || test.file,
    file: getPathFromBase(test.file, place),
    ...pickDefined({ line: test.line }),
    seconds: ms / 1000,
    failures: rows.filter((row) => row.test !== undefined && getTestId(row.test) === getTestId(test)),
    madeUp: madeUp.filter((one) => getTestId(one.test) === getTestId(test)).map(formatMadeUp),
  }));
  const known = new Set(tests.flatMap(({ failures }) => failures));
  const others = rows.filter((row) => row.level === "error" && !known.has(row));
  const cases = [...tests, ...others.map((row) => ({ name: row.title, seconds: 0, failures: [row] }))];
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
  const totals = `name="Tapedeck" tests="${cases.length}" failures="${failed}" errors="0" time="${seconds}"`;
  const { replayed, recorded, miss } = report.counts;
  const counts = {
    requests: report.requests,
    replayed,
    recorded,
    missing: miss,
    ...(madeUp.length > 0 && { "made-up": countCallsOfFindings(madeUp) }),
    ...(faulty.length > 0 && { faults: countCallsOfFindings(faulty) }),
  };
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite ${totals} skipped="0">`,
    "    <properties>",
    ...Object.entries(counts).map(([name, value]) => `      <property name="${name}" value="${value}"/>`),
    "    </properties>",
    ...cases.flatMap(caseLines),
    "  </testsuite>",
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function caseLines({ name, file, line, seconds, failures, madeUp = [] }: Case): readonly string[] {
  const place = [
    ...(file === undefined ? [] : [` file="${escapeXml(file)}"`]),
    ...(line === undefined ? [] : [` line="${line}"`]),
  ].join("");
  const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(file ?? "tapedeck")}"${place} time="${seconds.toFixed(3)}"`;
  const [first] = failures;
  const output =
    madeUp.length === 0 ? [] : [`      <system-out>${madeUp.map(escapeXml).join("\n")}</system-out>`];
  if (first === undefined)
    return output.length === 0 ? [`${head}/>`] : [`${head}>`, ...output, "    </testcase>"];
  // Readers take one failure a case: each call is a line of it.
  const texts = failures.map(({ message }) => escapeXml(message)).join("\n");
  const failure = `      <failure type="${first.kind}" message="${escapeXml(first.message)}">${texts}</failure>`;
  return [`${head}>`, failure, ...output, "    </testcase>"];
}

/** Characters that XML 1.0 cannot hold at all, not even as a reference: controls, lone surrogates, U+FFFE and U+FFFF. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return makeVisible(text.replace(IMPOSSIBLE, "\ufffd")).replace(
    /[&<>"'\t\n\r]/g,
    (sign) => `&#${sign.charCodeAt(0)};`,
  );
}
