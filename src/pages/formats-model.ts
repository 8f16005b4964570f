import { countText } from "../core/plural.ts";

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
