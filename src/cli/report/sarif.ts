import { pathToFileURL } from "node:url";
import { getPathInside } from "../../storage/inside.ts";
import { RULES, type CheckFinding } from "../../storage/check/findings.ts";
import { makeVisible } from "../../core/base/visible.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** Findings as a SARIF 2.1.0 log, for code scanning. Addresses are relative to `base` where they can be. */
export function renderSarif(
  findings: readonly CheckFinding[],
  place: { readonly dir: string; readonly base: string; readonly version: string },
): Readonly<Record<string, unknown>> {
  const ids = Object.keys(RULES);
  const rules = Object.entries(RULES).map(([id, rule]) => describeRule(id, rule));
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level: RULES[finding.rule].level,
    message: { text: makeVisible(`${finding.message} ${RULES[finding.rule].hint()}`) },
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

function fileAddress(entry: string, { dir, base }: { readonly dir: string; readonly base: string }): string {
  const path = `${dir}/${entry}`;
  const fromHere = getPathInside(base, path);
  return fromHere?.split("/").map(encodeURIComponent).join("/") ?? pathToFileURL(path).href;
}

function describeRule(
  id: string,
  {
    level,
    meaning,
    hint,
  }: { readonly level: string; readonly meaning: () => string; readonly hint: () => string },
): object {
  return {
    id,
    shortDescription: { text: `${meaning()}.` },
    help: { text: hint() },
    defaultConfiguration: { level },
  };
}
