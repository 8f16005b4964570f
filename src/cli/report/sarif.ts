import { pathToFileURL } from "node:url";
import { isAbsolute, relative, sep } from "node:path";
import { RULES, type Finding } from "../../storage/check/findings.ts";
import { visible, visibleJson } from "../../core/view/visible.ts";
import { RUN_RULES, type ReportPlace, type RunFinding } from "./run-findings.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** Findings as a SARIF 2.1.0 log, for code scanning. Addresses are relative to the current folder where they can be. */
export function sarifOf(
  findings: readonly Finding[],
  place: { readonly dir: string; readonly cwd: string; readonly version: string },
): Readonly<Record<string, unknown>> {
  const ids = Object.keys(RULES);
  const rules = Object.entries(RULES).map(([id, rule]) => describeRule(id, rule));
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: RULES[finding.rule].level,
    message: { text: visible(`${finding.message} ${RULES[finding.rule].hint}`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: fileAddress(finding.entry, place) },
          region: { startLine: finding.line, startColumn: finding.column },
        },
      },
    ],
  }));
  return sarifLog({ version: place.version, rules, results });
}

/** The frame around rules and results; `version` is the program's. */
function sarifLog(content: {
  readonly version: string;
  readonly rules: readonly object[];
  readonly results: readonly object[];
}): Readonly<Record<string, unknown>> {
  const { version, rules, results } = content;
  const driver = { name: "Tapedeck", semanticVersion: version, rules };
  const runs = [{ tool: { driver }, columnKind: "utf16CodeUnits", results }];
  return { $schema: SCHEMA, version: "2.1.0", runs };
}

function fileAddress(entry: string, { dir, cwd }: { readonly dir: string; readonly cwd: string }): string {
  const path = `${dir}/${entry}`;
  const fromHere = relative(cwd, path);
  if (isAbsolute(fromHere) || fromHere.startsWith("..")) return pathToFileURL(path).href;
  return addressFrom(fromHere.split(sep).join("/"));
}

/** A relative path with "/" between its segments as an address. */
const addressFrom = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** What a run lacks as a SARIF 2.1.0 log. Code scanning wants a place for everything: else it is the cassette folder. */
export function sarifReport(
  findings: readonly RunFinding[],
  { base, dir, version }: ReportPlace & { readonly version: string },
): string {
  const nowhere = relative(base, dir).split(sep).join("/");
  const ids = Object.keys(RUN_RULES);
  const rules = Object.entries(RUN_RULES).map(([id, rule]) =>
    describeRule(id, { ...rule, level: id === "no-calls" ? "warning" : "error" }),
  );
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

function describeRule(
  id: string,
  { level, meaning, hint }: { readonly level: string; readonly meaning: string; readonly hint: string },
): object {
  return {
    id,
    shortDescription: { text: `${meaning}.` },
    help: { text: hint },
    defaultConfiguration: { level },
  };
}

function location(file: string, line = 1, text?: string): object {
  const physicalLocation = { artifactLocation: { uri: addressFrom(file) }, region: { startLine: line } };
  return { physicalLocation, ...(text !== undefined && { id: 0, message: { text } }) };
}
