import type { Stats } from "node:fs";

/** Identifies the state of a file or folder without reading it. */
export interface Signature {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** False while a change could still happen within the same tick of the file system's clock. */
  readonly settled: boolean;
}

/** Longer than a tick of any file system's clock: FAT has even seconds only. */
const TICK_MS = 2_100;

/** `stats` must have been taken before the content was read, `now` before `stats`. */
export function signatureOf(stats: Stats, now: number): Signature {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  // An age below zero is a server whose clock is ahead: its stamps prove nothing either.
  const age = now - Math.max(mtimeMs, ctimeMs);
  return { ino, size, mtimeMs, ctimeMs, settled: age > TICK_MS };
}

/**
 * Whether content read under `seen` is still current. Compares the change time, too, because programs can set the
 * modification time.
 */
export function stillStands(seen: Signature, stats: Stats): boolean {
  return seen.settled && sameState(seen, stats);
}

export function sameState(seen: Omit<Signature, "settled">, stats: Omit<Signature, "settled">): boolean {
  return (
    seen.ino === stats.ino &&
    seen.size === stats.size &&
    seen.mtimeMs === stats.mtimeMs &&
    seen.ctimeMs === stats.ctimeMs
  );
}
