import { oneLine } from "../miss-text.ts";
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

/** For people: what was skipped and why, the same reason of a file once, and the sums. */
export function printReport(reports: readonly FileReport[], shownDir: string, terminal: Terminal): void {
  for (const report of reports) {
    for (const line of linesOf(report)) {
      const word = paint(
        terminal.colour.err,
        line.isRefused ? "red" : "yellow",
        line.isRefused ? "refused" : "skipped",
      );
      terminal.err(`${word} ${oneLine(`${report.file}${line.text}`)}\n`);
    }
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

function linesOf({ unreadable, skipped }: FileReport): readonly Line[] {
  if (unreadable !== undefined) return [{ text: ` ${unreadable}`, isRefused: false }];
  const reasons = new Map<string, { places: string[]; isRefused: boolean }>();
  for (const { place, reason, refused } of skipped) {
    const row = reasons.get(reason) ?? { places: [], isRefused: refused };
    row.places.push(place);
    reasons.set(reason, row);
  }
  return [...reasons].map(([reason, { places, isRefused }]) => {
    const [first = ""] = places;
    const more = places.length > 1 ? ` and ${places.length - 1} more: each` : "";
    return { text: `: ${first}${more} ${reason}`, isRefused };
  });
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
