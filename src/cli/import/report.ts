import { oneLine } from "../miss-text.ts";
import { plural } from "../plural.ts";
import { paint, type Terminal } from "../terminal.ts";

/** What became of one file. */
export interface FileReport {
  readonly file: string;
  /** Null where it could not be read. */
  readonly format: string | null;
  /** Why nothing could be had from it. */
  readonly unreadable?: string;
  readonly imported: readonly { readonly place: string; readonly entry: string }[];
  /** The calls that were recorded already. */
  readonly present: readonly { readonly place: string; readonly entry: string }[];
  readonly skipped: readonly { readonly place: string; readonly reason: string; readonly refused: boolean }[];
}

export interface Totals {
  readonly files: number;
  readonly imported: number;
  readonly present: number;
  readonly skipped: number;
  readonly refused: number;
}

export function totalsOf(reports: readonly FileReport[]): Totals {
  const sum = (count: (report: FileReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    files: reports.filter(({ unreadable }) => unreadable === undefined).length,
    imported: sum(({ imported }) => imported.length),
    present: sum(({ present }) => present.length),
    skipped: sum(({ skipped }) => skipped.length),
    refused: sum(({ skipped }) => skipped.filter(({ refused }) => refused).length),
  };
}

/** For people: what was skipped and why, each reason once with the first place that has it, and the sums. */
export function printReport(reports: readonly FileReport[], shownDir: string, terminal: Terminal): void {
  for (const { text, isRefused } of linesOf(reports)) {
    const word = isRefused ? "refused" : "skipped";
    const painted = paint(terminal.colour.err, isRefused ? "red" : "yellow", word);
    terminal.err(`${painted} ${oneLine(text)}\n`);
  }
  const { files, imported, present, skipped } = totalsOf(reports);
  const parts = [
    `${plural(imported, "call")} imported into ${shownDir} from ${plural(files, "file")}`,
    ...(present > 0 ? [`${present} recorded already`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  terminal.err(`${parts.join(", ")}\n`);
}

interface Line {
  readonly text: string;
  readonly isRefused: boolean;
}

function linesOf(reports: readonly FileReport[]): readonly Line[] {
  const reasons = new Map<string, { count: number; readonly first: string; readonly isRefused: boolean }>();
  for (const { file, skipped } of reports) {
    for (const { place, reason, refused } of skipped) {
      const known = reasons.get(reason);
      if (known !== undefined) known.count += 1;
      else reasons.set(reason, { count: 1, first: `${file}, ${place}`, isRefused: refused });
    }
  }
  const unreadable = reports.flatMap(({ file, unreadable: why }) =>
    why === undefined ? [] : [{ text: `${file} ${why}`, isRefused: false }],
  );
  const calls = [...reasons].map(([reason, { count, first, isRefused }]) => {
    const more = count === 1 ? "" : ` and ${count - 1} more: each`;
    return { text: `${first}${more} ${reason}`, isRefused };
  });
  return [...unreadable, ...calls];
}
