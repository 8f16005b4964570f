/** A part of a run, in milliseconds from its start. */
export interface Part {
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
  { from, to }: Part,
  { until, factor = 1, around = (from + to) / 2 }: ZoomOptions,
): Part | undefined {
  const length = Math.max((to - from) / factor, Math.min(SHORTEST, until));
  if (length >= until) return undefined;
  const wanted = around - (around - from) * (length / Math.max(to - from, Number.EPSILON));
  const begin = Math.min(Math.max(0, wanted), until - length);
  return { from: begin, to: begin + length };
}

/** Further to the right by a share of what is shown, or to the left. */
export function panBy({ from, to }: Part, share: number): Part {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}
