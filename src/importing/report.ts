import { joinList, localize } from "../core/base/localize.ts";
import { formatCount, localizeCount } from "../core/base/plural.ts";

export interface FileReport {
  readonly file: string;
  /** Null if it could not be read. */
  readonly format: string | null;
  /** Reason why it could not be read. */
  readonly unreadable?: string;
  /** Whether it seems to contain recordings all the same. */
  readonly isDamaged?: boolean;
  readonly imported: readonly { readonly place: string; readonly entry: string }[];
  /** Calls that were already recorded. */
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

export function sumReports(reports: readonly FileReport[]): ImportTotals {
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

export const describeNoRecordings = (): string =>
  localize("None of the files contains recordings in a known format.");

/** Returns the totals, for example "3 calls imported into .tapedeck from 1 file, 2 already recorded". */
export function formatSums(reports: readonly FileReport[], shownDir: string): string {
  const { files, imported, present, skipped } = sumReports(reports);
  const parts = [
    localizeCount(
      imported,
      "{0} call imported into {1} from {2}",
      "{0} calls imported into {1} from {2}",
      shownDir,
      localizeCount(files, "{0} file", "{0} files"),
    ),
    ...(present > 0 ? [localize("{0} already recorded", formatCount(present))] : []),
    ...(skipped > 0 ? [localize("{0} skipped", formatCount(skipped))] : []),
  ];
  return joinList(parts);
}

/** Whether all calls of a file were skipped. */
export const isAllSkipped = ({ imported, present, skipped }: FileReport): boolean =>
  skipped.length > 0 && imported.length + present.length === 0;

/** A reason for skipped calls or files, for people. */
export interface SkippedCall {
  readonly text: string;
  /** Whether a secret is the reason. */
  readonly isRefused: boolean;
}

/** Lists each reason for skipped calls once, with its first place. */
export function listLeftOut(reports: readonly FileReport[]): readonly SkippedCall[] {
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
    const text =
      count === 1
        ? `${first} ${reason}`
        : localize("{0} calls (first: {1}): each {2}", formatCount(count), first, reason);
    return { text, isRefused };
  });
  return [...unreadable, ...calls];
}
