import { plural } from "../core/base/plural.ts";

/** What became of one file. */
export interface FileReport {
  readonly file: string;
  /** Null where it could not be read. */
  readonly format: string | null;
  /** Why nothing could be had from it. */
  readonly unreadable?: string;
  /** Whether that is because it took too long, or too much memory. */
  readonly isLimited?: true;
  readonly imported: readonly { readonly place: string; readonly entry: string }[];
  /** The calls that were recorded already. */
  readonly present: readonly { readonly place: string; readonly entry: string }[];
  readonly skipped: readonly { readonly place: string; readonly reason: string; readonly refused: boolean }[];
}

export interface ImportTotals {
  readonly files: number;
  readonly imported: number;
  readonly present: number;
  readonly skipped: number;
  readonly refused: number;
}

export function totalsOf(reports: readonly FileReport[]): ImportTotals {
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

export const NO_RECORDINGS = "No file there holds recordings in a format that is known here.";

/** The sums, e.g. "3 calls imported into .tapedeck from 1 file, 2 recorded already". */
export function sumsText(reports: readonly FileReport[], shownDir: string): string {
  const { files, imported, present, skipped } = totalsOf(reports);
  const parts = [
    `${plural(imported, "call")} imported into ${shownDir} from ${plural(files, "file")}`,
    ...(present > 0 ? [`${present} recorded already`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return parts.join(", ");
}

/** Why something was left out, for people. */
export interface LeftOut {
  readonly text: string;
  /** It holds a secret, rather than nothing of use. */
  readonly isRefused: boolean;
}

/** What was left out and why: each reason once, with the first place that has it. */
export function leftOut(reports: readonly FileReport[]): readonly LeftOut[] {
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
