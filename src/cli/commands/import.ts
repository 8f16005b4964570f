import { localize } from "../../core/base/localize.ts";
import { formatCount } from "../../core/base/plural.ts";
import { FORMATS, formatNamed, type Format } from "../../core/formats/import/formats.ts";
import type { Deck } from "../../deck/deck.ts";
import { createUsageError, readUpstreams } from "../options/arguments.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { DEFAULT_DIR, readDir, inspectFolder } from "../options/dir.ts";
import { findFiles } from "../../importing/find-files.ts";
import { importFiles } from "../../importing/import-files.ts";
import {
  listLeftOut,
  describeNoRecordings,
  isAllSkipped,
  formatSums,
  sumReports,
  type FileReport,
} from "../../importing/report.ts";
import { printNearProviders } from "../serving.ts";
import { openDeckAsAsked } from "../options/read-options.ts";
import { paint, type Terminal } from "../terminal.ts";
import { writeVisibleJson, makeVisibleLine } from "../../core/base/visible.ts";

/** Number of files between progress messages. */
const FILES_BETWEEN = 100;

/** Converts the recordings of other tools. */
export const importCommand: Command = {
  name: "import",
  summary: localize("Import recordings of other tools."),
  synopsis: "import [FORMAT] FILE|FOLDER… [--dir D] [--upstream PROVIDER=URL] [--record-errors] [--json]",
  options: [
    ["--dir D", localize("the cassette folder (default {0}); the first recording creates it", DEFAULT_DIR)],
    ["FORMAT", localize("the format of the files, if it cannot be detected: {0}", FORMATS.join(", "))],
    ["--upstream PROVIDER=URL", localize("the provider of an address that is not built in; repeatable")],
    ["--record-errors", localize("also import responses with status 400 and above")],
    ["--json", localize("print the result of each call as JSON")],
  ],
  takes: "names",
  async execute(args, terminal) {
    const { from, named } = readInputs(args);
    const { dir, shownDir, project: root } = readDir(args, terminal);
    const files = await findFiles(named, { cwd: terminal.cwd, dir });
    const upstreams = readUpstreams(args);
    printNearProviders(upstreams, terminal);
    const deck = await openFor(dir, upstreams, args.has("record-errors"));
    const { store, providers, project } = deck;
    const into = { store, providers, project: project.current, root };
    const recordsErrors = project.record.errors === true;
    const onFile = (_: unknown, done: number): void => {
      if (done > 0 && done % FILES_BETWEEN === 0)
        terminal.err(localize("{0} of {1} files read\n", formatCount(done), formatCount(files.length)));
    };
    const reports = await importFiles(files, {
      ...into,
      from,
      upstreams,
      recordsErrors,
      onFile,
      now: terminal.now(),
    });
    await deck.close();
    const namedFiles = new Set(files.filter(({ isNamed }) => isNamed).map(({ shown }) => shown));
    const withoutRecordings = reports.filter((report) => namedFiles.has(report.file) && isAllSkipped(report));
    printReports(reports, withoutRecordings, { args, shownDir, terminal });
    const hasFailed =
      withoutRecordings.length > 0 ||
      reports.every(isAllSkipped) ||
      reports.some(({ unreadable }) => unreadable !== undefined) ||
      sumReports(reports).refused > 0;
    return hasFailed ? EXIT.failed : EXIT.ok;
  },
};

/**
 * Splits the arguments into an optional format, which precedes the files, and the files. Default: detected by content.
 */
function readInputs({ positionals }: Arguments): {
  readonly from: Format | undefined;
  readonly named: readonly string[];
} {
  const [first, ...rest] = positionals;
  if (first === undefined)
    throw createUsageError("import", localize("import needs the files or folders to import."));
  const from = rest.length > 0 ? formatNamed(first) : undefined;
  return { from, named: from === undefined ? positionals : rest };
}

async function openFor(
  dir: string,
  upstreams: Readonly<Record<string, string>>,
  recordsErrors: boolean,
): Promise<Deck> {
  await inspectFolder(dir, { writes: true });
  // Addresses in the local network may be without encryption, because an import sends nothing.
  const encrypted = Object.entries(upstreams).map(([name, url]) => [name, url.replace(/^http:/i, "https:")]);
  const deck = openDeckAsAsked({
    dir,
    upstreams: Object.fromEntries(encrypted) as Readonly<Record<string, string>>,
    ...(recordsErrors && { recordErrors: true }),
  });
  await deck.project.reload();
  const { problem } = deck.project.current;
  if (problem === undefined) return deck;
  await deck.close();
  throw problem;
}

interface ImportReport {
  readonly args: Arguments;
  readonly shownDir: string;
  readonly terminal: Terminal;
}

/** `withoutRecordings` has the named files from which no call was imported. */
function printReports(
  reports: readonly FileReport[],
  withoutRecordings: readonly FileReport[],
  { args, shownDir, terminal }: ImportReport,
): void {
  if (args.has("json")) terminal.out(`${writeVisibleJson({ ...sumReports(reports), reports }, 2)}\n`);
  else printReport(reports, withoutRecordings, { shownDir, terminal });
  if (reports.length === 0)
    terminal.err(`${describeNoRecordings()}\n${localize("Pass the file itself to see the reason.")}\n`);
}

/** For people: what was skipped and why, and the sums. */
function printReport(
  reports: readonly FileReport[],
  withoutRecordings: readonly FileReport[],
  { shownDir, terminal }: Omit<ImportReport, "args">,
): void {
  for (const { text, isRefused } of listLeftOut(reports)) {
    const word = isRefused ? localize("refused") : localize("skipped");
    const painted = paint(terminal.color.err, isRefused ? "red" : "yellow", word);
    terminal.err(`${painted}: ${makeVisibleLine(text)}\n`);
  }
  for (const { file } of withoutRecordings)
    terminal.err(`${makeVisibleLine(localize("No call of {0} was imported.", file))}\n`);
  terminal.err(`${formatSums(reports, shownDir)}\n`);
}
