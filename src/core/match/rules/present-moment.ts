const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Maximum minutes between writing a prompt and the end of its call. */
const SLACK = 15;
const MINUTES_PER_DAY = 1_440;

const EPOCH = /^1\d{9}(?:\d{3}|\.\d+)?$/;
const COMPACT_DATE = /^(\d{4})(\d\d)(\d\d)(?!\d{1,5}$)/;
const COMPACT_TIME = /[T_-]?(?<!\d)(\d\d)(\d\d)\d\d$/;
const DATE = /\d{4}[-/]\d\d[-/]\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}/;
const CLOCK = /(?<!\d)[T ,:]*(\d{1,2})[:.-](\d\d)(?:[:.-]\d\d)?(?:[.,]\d+)? ?(?:([ap])\.?m\.?)?/i;
const ZONE = /(?<=\d:\d\d[^ ]*) ?(?:Z|GMT|UTC)?(?: ?[+-]\d\d:?\d\d)?$/;

/**
 * Whether the date or time in a text is that of a moment, in milliseconds since the epoch. A date of history, a
 * deadline, or a birthday is not: it is what a call asks about. A date with a time is compared by its day.
 */
export function isOfMoment(text: string, moment: number): boolean {
  if (EPOCH.test(text)) return Math.abs(Number(text) * (/^\d{13}$/.test(text) ? 1 : 1_000) - moment) < DAY;
  const spaced = text.replace(ZONE, "").replace(COMPACT_DATE, "$1/$2/$3 ").replace(COMPACT_TIME, "$1:$2");
  // A date in digits has signs between them that a clock may have too.
  const clock = CLOCK.exec(spaced.replace(DATE, (found) => "_".repeat(found.length)));
  const date = clock === null ? spaced : spaced.replace(clock[0], " ");
  if (clock !== null && !/[\p{L}\d]/u.test(date)) return isTimeOf(clock, moment);
  // Clocks anywhere on earth are at most 12 hours behind UTC and 14 ahead.
  return [0, -12, 14].some((hours) => isDayOf(date, moment + hours * HOUR));
}

const time = { hour: "numeric", minute: "numeric", hourCycle: "h23" } as const;

function isTimeOf([, hour, minute, half]: RegExpExecArray, moment: number): boolean {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return [{ ...time, timeZone: "UTC" }, time].some((format) => {
    const now = partsOf(moment, format);
    const apart = Math.abs((Number(now["hour"]) - hours) * 60 + Number(now["minute"]) - Number(minute));
    return Math.min(apart, MINUTES_PER_DAY - apart) <= SLACK;
  });
}

/** The first letters of each month's name in languages that prompts are often written in. */
const MONTHS =
  "jan|ener,feb|fév,mar|mär,apr|avr|abr,may|mai,jun|juin,jul|juil,aug|aoû|ago,sep,oct|okt,nov,dec|déc|dez|dic"
    .split(",")
    .map((names) => new RegExp(`(?<!\\p{L})(?:${names})`, "iu"));

const date = { year: "numeric", month: "numeric", day: "numeric", weekday: "long", timeZone: "UTC" } as const;

function isDayOf(text: string, moment: number): boolean {
  const { weekday = "", ...parts } = partsOf(moment, date);
  const [year = 0, month = 0, day = 0] = ["year", "month", "day"].map((name) => Number(parts[name]));
  const numbers = inOrder((text.match(/\d+/g) ?? []).map(Number));
  if (numbers === "") return text.toLowerCase().includes(weekday.toLowerCase());
  const isNamed = MONTHS[month - 1]?.test(text) === true;
  const expected = isNamed
    ? [[year], [day], [day, year]]
    : [
        [month, day, year],
        [month, day, year % 100],
      ];
  return expected.some((some) => inOrder(some) === numbers);
}

const inOrder = (numbers: readonly number[]): string => numbers.toSorted((one, other) => one - other).join();

function partsOf(moment: number, format: Intl.DateTimeFormatOptions): Readonly<Record<string, string>> {
  const parts = new Intl.DateTimeFormat("en-US", format).formatToParts(moment);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}
