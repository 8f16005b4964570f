import type { OverviewData } from "../../core/overview/overview-data.ts";
import { durationText, moneyText } from "../../core/overview/texts.ts";
import { savedMs, sentIn, type Sums } from "../../core/overview/sums.ts";
import { countText } from "../../core/plural.ts";

type Days = OverviewData["overview"]["days"];

/** A part of a day's bar. `kind` names its colour, and is said in the legend. */
export interface Layer {
  readonly kind: "replayed" | "sent" | "missing" | "saved" | "spent";
  readonly of: (sums: Sums) => number;
}

/** One of several pictures that share their days. */
export interface Multiple {
  readonly title: string;
  /** From the axis up. */
  readonly layers: readonly Layer[];
  readonly text: (value: number) => string;
}

export const MULTIPLES: readonly Multiple[] = [
  {
    title: "Calls",
    layers: [
      { kind: "replayed", of: ({ outcomes }) => outcomes.replayed },
      { kind: "sent", of: sentIn },
      { kind: "missing", of: ({ outcomes }) => outcomes.miss },
    ],
    text: countText,
  },
  {
    title: "Money",
    layers: [
      { kind: "saved", of: ({ saved }) => saved.costUsd },
      { kind: "spent", of: ({ paid }) => paid.costUsd },
    ],
    text: (costUsd) => moneyText({ costUsd, unpriced: 0 }),
  },
  { title: "Time", layers: [{ kind: "saved", of: savedMs }], text: durationText },
];

/** The heights of a day's layers, from the axis up, as shares of the highest day. */
export interface DayBar {
  readonly day: string;
  readonly parts: readonly { readonly kind: Layer["kind"]; readonly from: number; readonly to: number }[];
}

export interface Bars {
  /** What the highest day comes to. */
  readonly most: number;
  readonly bars: readonly DayBar[];
}

/** So much is seen of a part that is there, however small its share is. */
const LEAST = 0.02;

export function barsOf(days: Days, { layers }: Multiple): Bars {
  const totals = days.map(({ sums }) => layers.reduce((sum, { of }) => sum + of(sums), 0));
  const most = Math.max(0, ...totals);
  const bars = days.map(({ day, sums }) => {
    let at = 0;
    const parts = layers.flatMap(({ kind, of }) => {
      const value = of(sums);
      if (!(value > 0) || most === 0) return [];
      const from = at;
      at = Math.min(1, at + Math.max(LEAST, value / most));
      return [{ kind, from, to: at }];
    });
    return { day, parts };
  });
  return { most, bars };
}

/** The picture in a sentence: what its layers come to in all, and the highest day. */
export function barsText(days: Days, multiple: Multiple): string {
  const { title, layers, text } = multiple;
  const sums = layers.map(({ kind, of }) => {
    const total = days.reduce((sum, day) => sum + of(day.sums), 0);
    return `${kind} ${text(total)}`;
  });
  return `${title} by day: ${sums.join(", ")} in ${days.length} days.`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "23 Nov" of "2026-11-23". */
export function dayText(day: string): string {
  const [, month, date] = day.split("-").map(Number);
  return `${date ?? ""} ${MONTHS[(month ?? 1) - 1] ?? ""}`.trim();
}
