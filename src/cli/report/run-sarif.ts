import { relative, sep } from "node:path";
import { RUN_RULES, type ReportPlace, type RunFinding } from "./run-findings.ts";
import { addressFrom, sarifLog } from "./sarif.ts";
import { visible, visibleJson } from "../../core/view/visible.ts";

/** What a run lacks as a SARIF 2.1.0 log. Code scanning wants a place for everything: else it is the cassette folder. */
export function sarifReport(
  findings: readonly RunFinding[],
  { base, dir, version }: ReportPlace & { readonly version: string },
): string {
  const nowhere = relative(base, dir).split(sep).join("/");
  const ids = Object.keys(RUN_RULES);
  const rules = Object.entries(RUN_RULES).map(([id, { meaning, hint }]) => ({
    id,
    shortDescription: { text: `${meaning}.` },
    help: { text: hint },
    defaultConfiguration: { level: id === "no-calls" ? "warning" : "error" },
  }));
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: finding.level,
    message: { text: visible(`${finding.title}: ${finding.message}`) },
    locations: [location(finding.file ?? nowhere, finding.line)],
    ...(finding.at && {
      relatedLocations: [location(finding.at.file, finding.at.line, "The call is made here.")],
    }),
    ...(finding.key !== undefined && { partialFingerprints: { "tapedeckKey/v1": finding.key } }),
  }));
  return `${visibleJson(sarifLog({ version, rules, results }), 2)}\n`;
}

function location(file: string, line = 1, text?: string): object {
  const physicalLocation = { artifactLocation: { uri: addressFrom(file) }, region: { startLine: line } };
  return { physicalLocation, ...(text !== undefined && { id: 0, message: { text } }) };
}
