import { localize } from "./localize.ts";
import { localizeCount } from "./plural.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;

interface AgeUnit {
  /** Milliseconds. */
  readonly size: number;
  readonly inWords: (count: number) => string;
  readonly short: (count: number) => string;
}

const UNITS: readonly AgeUnit[] = [
  {
    size: YEAR,
    inWords: (count) => localizeCount(count, "{0} year ago", "{0} years ago"),
    short: (count) => localize("{0} y", count),
  },
  {
    size: MONTH,
    inWords: (count) => localizeCount(count, "{0} month ago", "{0} months ago"),
    short: (count) => localize("{0} mo", count),
  },
  {
    size: DAY,
    inWords: (count) => localizeCount(count, "{0} day ago", "{0} days ago"),
    short: (count) => localize("{0} d", count),
  },
  {
    size: HOUR,
    inWords: (count) => localizeCount(count, "{0} hour ago", "{0} hours ago"),
    short: (count) => localize("{0} h", count),
  },
  {
    size: MINUTE,
    inWords: (count) => localizeCount(count, "{0} minute ago", "{0} minutes ago"),
    short: (count) => localize("{0} min", count),
  },
];

/** Formats the time since `at`: "just now", "1 minute ago", "3 days ago". Both arguments are milliseconds since the epoch. */
export function formatAge(at: number, now: number): string {
  const age = measure(at, now);
  return age === undefined ? localize("just now") : age.unit.inWords(age.count);
}

/** Formats the time since `at` for a narrow column: "now", "5 min", "3 d". Both arguments are milliseconds since the epoch. */
export function formatShortAge(at: number, now: number): string {
  const age = measure(at, now);
  return age === undefined ? localize("now") : age.unit.short(age.count);
}

/** Returns undefined below a minute, and for times ahead of `now`: the clocks of machines differ. */
function measure(at: number, now: number): { count: number; unit: AgeUnit } | undefined {
  const passed = now - at;
  const unit = UNITS.find(({ size }) => passed >= size);
  return unit && { count: Math.floor(passed / unit.size), unit };
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses an ISO 8601 instant of a recording to milliseconds since the epoch; undefined for any other text. */
export function parseInstant(iso: string): number | undefined {
  // oxlint-disable-next-line no-restricted-globals -- reads a given time, not the clock
  const at = INSTANT.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
