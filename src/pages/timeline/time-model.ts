import { countText } from "../../core/base/plural.ts";

/** A part of a run, in milliseconds from its start. */
export interface TimePart {
  readonly from: number;
  readonly to: number;
}

/** So short a part is shown at the most, in milliseconds. */
const SHORTEST = 0.1;

interface ZoomOptions {
  /** The end of the run. */
  readonly until: number;
  /** Above 1 shows less of it. Default 1. */
  readonly factor?: number;
  /** The time that stays where it is. Default: the middle. */
  readonly around?: number | undefined;
}

/** A part of the run that is shown, within the run; undefined where that is all of it. */
export function zoomTo(
  { from, to }: TimePart,
  { until, factor = 1, around = (from + to) / 2 }: ZoomOptions,
): TimePart | undefined {
  const length = Math.max((to - from) / factor, Math.min(SHORTEST, until));
  if (length >= until) return undefined;
  const wanted = around - (around - from) * (length / Math.max(to - from, Number.EPSILON));
  const begin = Math.min(Math.max(0, wanted), until - length);
  return { from: begin, to: begin + length };
}

/** Further to the right by a share of what is shown, or to the left. */
export function panBy({ from, to }: TimePart, share: number): TimePart {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** `0.4 ms`, `12 ms`, `1.24 s`, `2 min 3 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < 10) return `${trimZeros(ms, 1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trimZeros(ms / 1_000, ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = `${countText(Math.floor(seconds / 60))} min`;
  return seconds % 60 === 0 ? minutes : `${minutes} ${seconds % 60} s`;
}

const trimZeros = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** Times at which an axis has lines: round ones, at most `most` of them between `from` and `to`. */
export function ticksOf(from: number, to: number, most: number): readonly number[] {
  const length = to - from;
  if (!(length > 0) || most < 1) return [];
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => round((first + index) * step));
}

/** Without the last digits of a sum of fractions. */
const round = (value: number): number => Number(value.toPrecision(12));
