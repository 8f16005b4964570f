import { localize, joinSentences } from "../../core/base/localize.ts";
import type { Deck } from "../../deck/deck.ts";
import { relative } from "node:path";
import { createUsageError } from "../options/arguments.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { readVersion } from "../version.ts";
import { isError, RULES, type CheckFinding } from "../../storage/check/findings.ts";
import { inspect, type Inspection } from "../../storage/check/inspect.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { getDirHelp, openFolder, findRoots } from "../options/read-options.ts";
import { formatLevel, getReportBase, paint, printMessage, type Terminal } from "../terminal.ts";
import { writeVisibleJson, makeVisibleLine, makeVisible } from "../../core/base/visible.ts";
import { pathToFileURL } from "node:url";
import { getPathInside } from "../../storage/inside.ts";

/** Checks a cassette folder; changes names only, and only where asked to. */
export const check: Command = {
  name: "check",
  summary: localize("Find unreadable, duplicate, stale, and unused recordings, and secrets in them."),
  synopsis: "check [--dir D] [--fix] [--json|--sarif]",
  options: [
    getDirHelp(),
    ["--fix", localize("rename recordings whose names do not match the rules of tapedeck.jsonc")],
    ["--json", localize("print the findings as JSON")],
    ["--sarif", localize("print the findings as a SARIF 2.1.0 log")],
  ],
  async execute(args, terminal) {
    if (args.has("json") && args.has("sarif"))
      throw createUsageError("check", localize("--json and --sarif cannot be combined."));
    const { deck, dir, shownDir, strays } = await openFolder(args, terminal);
    const look = async (): Promise<Inspection> =>
      inspect({
        store: deck.store,
        dir,
        roots: findRoots(dir, terminal),
        project: deck.project.current,
        strays: await strays(),
      });
    let inspection = await look();
    if (args.has("fix")) {
      if (deck.project.current.problem)
        throw createUsageError(
          "check",
          localize("--fix needs a valid tapedeck.jsonc. Correct the file first."),
        );
      await renameFiles(deck, dir, terminal);
      inspection = await look();
    }
    if (inspection.notice !== undefined) printMessage(terminal, "warning", inspection.notice);
    await deck.close();
    print(inspection, { args, dir, terminal });
    terminal.err(`${summary(inspection, shownDir)}\n`);
    return inspection.findings.some(isError) ? EXIT.failed : EXIT.ok;
  },
};

async function renameFiles(deck: Deck, dir: string, terminal: Terminal): Promise<void> {
  const { renamed } = await deck.names.rename();
  const place = (entry: string): string => relative(terminal.cwd, `${dir}/${entry}`);
  for (const { from, to } of renamed)
    terminal.err(localize("renamed {0} → {1}\n", place(from), place(to.entry)));
}

interface PrintContext {
  readonly args: Arguments;
  readonly dir: string;
  readonly terminal: Terminal;
}

function print(inspection: Inspection, { args, dir, terminal }: PrintContext): void {
  const { findings, recordings, isUsageKnown } = inspection;
  if (args.has("sarif")) {
    const log = renderSarif(findings, { dir, base: getReportBase(terminal), version: readVersion() });
    return terminal.out(`${writeVisibleJson(log, 2)}\n`);
  }
  if (args.has("json")) {
    const rows = findings.map((finding) => ({
      ...finding,
      level: RULES[finding.rule].level,
      file: relative(terminal.cwd, `${dir}/${finding.entry}`),
      hint: RULES[finding.rule].hint(),
    }));
    const counts = { recordings, ...countFindings(findings), isUsageKnown };
    return terminal.out(`${writeVisibleJson({ ...counts, findings: rows }, 2)}\n`);
  }
  for (const finding of findings) terminal.out(`${findingText(finding, dir, terminal)}\n`);
}

/** The form that editors and terminals make a link of: file, line, column. */
function findingText(
  { rule, entry, line, column, message }: CheckFinding,
  dir: string,
  terminal: Terminal,
): string {
  const { level, hint } = RULES[rule];
  const place = `${relative(terminal.cwd, `${dir}/${entry}`)}:${line}:${column}`;
  const painted = paint(terminal.color.out, level === "error" ? "red" : "yellow", formatLevel(level));
  return `${place}: ${painted}: ${joinSentences(makeVisibleLine(message), hint())} (${rule})`;
}

function countFindings(findings: readonly CheckFinding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(isError).length;
  return { errors, warnings: findings.length - errors };
}

function summary({ findings, recordings, isUsageKnown }: Inspection, shownDir: string): string {
  const { errors, warnings } = countFindings(findings);
  const counts = localize(
    "{0} in {1}: {2}, {3}",
    localizeCount(recordings, "{0} recording", "{0} recordings"),
    shownDir,
    localizeCount(errors, "{0} error", "{0} errors"),
    localizeCount(warnings, "{0} warning", "{0} warnings"),
  );
  return isUsageKnown
    ? counts
    : localize("{0}. Unused recordings are unknown until a run (tapedeck run -- …).", counts);
}

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** Findings as a SARIF 2.1.0 log, for code scanning. Addresses are relative to `base` where they can be. */
function renderSarif(
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
