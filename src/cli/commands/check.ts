import type { Deck } from "../../deck/deck.ts";
import { relative } from "node:path";
import { usage, AGE_HELP, readAge } from "../options/arguments.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { version } from "../version.ts";
import { isError, RULES, type CheckFinding } from "../../storage/check/findings.ts";
import { inspect, type Inspection } from "../../storage/check/inspect.ts";
import { plural } from "../../core/base/plural.ts";
import { DIR_HELP, openFolder, rootsOf } from "../options/read-options.ts";
import { sarifOf } from "../report/sarif.ts";
import { paint, tell, type Terminal } from "../terminal.ts";
import { visibleJson, visibleLine } from "../../core/base/visible.ts";

/** Checks a cassette folder; changes names only, and only where asked to. */
export const check: Command = {
  name: "check",
  summary: "Check the files: readable, whole, no secrets, no duplicates; stale and unused ones named.",
  synopsis: "check [--dir D] [--fix] [--json|--sarif]",
  options: [
    DIR_HELP,
    [AGE_HELP, "also name recordings made longer ago than that"],
    ["--fix", "rename recordings whose names do not fit the rules of tapedeck.jsonc"],
    ["--json", "the findings as JSON on standard output"],
    ["--sarif", "the findings as a SARIF 2.1.0 log on standard output"],
  ],
  async execute(args, terminal) {
    if (args.has("json") && args.has("sarif")) throw usage("check", "--json and --sarif cannot be combined.");
    const age = readAge(args);
    const { deck, dir, shownDir, strays } = await openFolder(args, terminal);
    const look = async (): Promise<Inspection> =>
      inspect({
        store: deck.store,
        dir,
        roots: rootsOf(dir, terminal),
        project: deck.project.current,
        strays: await strays(),
        ...(age !== undefined && { before: terminal.now() - age }),
      });
    let inspection = await look();
    if (args.has("fix")) {
      if (deck.project.current.problem)
        throw usage("check", "--fix goes by tapedeck.jsonc, which cannot be used: correct it first.");
      await renameFiles(deck, dir, terminal);
      inspection = await look();
    }
    if (inspection.notice !== undefined) tell(terminal, "warning", inspection.notice);
    await deck.close();
    print(inspection, { args, dir, terminal });
    terminal.err(`${summary(inspection, shownDir)}\n`);
    return inspection.findings.some(isError) ? EXIT.failed : EXIT.ok;
  },
};

async function renameFiles(deck: Deck, dir: string, terminal: Terminal): Promise<void> {
  const { renamed } = await deck.names.rename();
  const place = (entry: string): string => relative(terminal.cwd, `${dir}/${entry}`);
  for (const { from, to } of renamed) terminal.err(`renamed ${place(from)} → ${place(to.entry)}\n`);
}

interface Printing {
  readonly args: Arguments;
  readonly dir: string;
  readonly terminal: Terminal;
}

function print(inspection: Inspection, { args, dir, terminal }: Printing): void {
  const { findings, recordings, isUsageKnown } = inspection;
  if (args.has("sarif")) {
    const log = sarifOf(findings, { dir, cwd: terminal.cwd, version: version() });
    return terminal.out(`${visibleJson(log, 2)}\n`);
  }
  if (args.has("json")) {
    const rows = findings.map((finding) => ({
      ...finding,
      level: RULES[finding.rule].level,
      file: relative(terminal.cwd, `${dir}/${finding.entry}`),
      hint: RULES[finding.rule].hint,
    }));
    const counts = { recordings, ...countFindings(findings), isUsageKnown };
    return terminal.out(`${visibleJson({ ...counts, findings: rows }, 2)}\n`);
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
  const painted = paint(terminal.colour.out, level === "error" ? "red" : "yellow", level);
  return `${place}: ${painted}: ${visibleLine(message)} ${hint} (${rule})`;
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
  const counts = `${plural(recordings, "recording")} in ${shownDir}: ${plural(errors, "error")}, ${plural(warnings, "warning")}`;
  return isUsageKnown
    ? counts
    : `${counts}. Which are unused is not known yet: a run tells (tapedeck run -- …).`;
}
