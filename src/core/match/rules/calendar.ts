import { daysBefore } from "../../view/age.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A prompt may be made so long before its call is over. */
const SLACK = 15 * MINUTE;
/** Without a day, one of fifty times would fit by chance. */
const CLOCK_SLACK = 5 * MINUTE;
/** What says when it is asked, or counts from there, is about the years around. */
const AROUND = 800 * DAY;

/** When a recording was made, and when the call beside it came: milliseconds since the epoch. */
export interface Moments {
  readonly recordedAt: number;
  readonly at: number;
}

/** What a text of a date or time may mean: the readings of `3/4/2026` are two days. */
interface Reading {
  /** Days since the epoch. */
  readonly days: readonly number[];
  /** Milliseconds since midnight. */
  readonly time?: number;
  /** "weekday": without a date; "week" and "month": without a day, which is their first. */
  readonly unit: "day" | "weekday" | "week" | "month" | "none";
}

/**
 * Whether a date or time moved as the calendar did between two moments, so that it is the one of asking or counts from
 * it. A date of history, a deadline or a birthday stays, or is another one: that is another question.
 */
export function movedWithCalendar(recorded: string, asked: string, moments: Moments): boolean {
  const { recordedAt, at } = moments;
  const [before, now] = [readingOf(recorded, recordedAt), readingOf(asked, at)];
  if (before === undefined || now === undefined || before.unit !== now.unit) return false;
  if (before.unit === "none") return isSameTime((now.time ?? 0) - (before.time ?? 0), at - recordedAt);
  return now.days.some((day, index) => {
    // The same writer: the first reading of one is the first one of the other.
    const from = before.days[index];
    if (from === undefined || (before.unit === "day" && Math.abs(day * DAY - at) > AROUND)) return false;
    if (before.time === undefined || now.time === undefined || before.time === now.time)
      return zonesAt(at).some((zone) => isSameDay(from, day, { unit: before.unit, moments, zone }));
    return isSameSpan(day * DAY + now.time - from * DAY - before.time, at - recordedAt);
  });
}

/** Where it was recorded clocks may have gone otherwise, in another season an hour. */
function isSameSpan(moved: number, passed: number): boolean {
  const shifts = passed > DAY ? [0, HOUR, -HOUR] : [0];
  return shifts.some((shift) => Math.abs(moved - passed - shift) <= SLACK);
}

function isSameTime(moved: number, passed: number): boolean {
  const apart = (((moved - passed) % DAY) + DAY) % DAY;
  return Math.min(apart, DAY - apart) <= CLOCK_SLACK;
}

/** How far clocks are ahead of UTC, likely: not at all, as on servers, or as here; in milliseconds. */
function zonesAt(at: number): readonly number[] {
  const parts = new Intl.DateTimeFormat("en-US", { timeZoneName: "longOffset" }).formatToParts(at);
  return [0, offsetIn(parts.find(({ type }) => type === "timeZoneName")?.value ?? "")];
}

function isSameDay(
  from: number,
  to: number,
  {
    unit,
    moments: { recordedAt, at },
    zone,
  }: { readonly unit: Reading["unit"]; readonly moments: Moments; readonly zone: number },
): boolean {
  const [then, today] = [Math.floor((recordedAt + zone) / DAY), Math.floor((at + zone) / DAY)];
  if (unit === "weekday") return (to - from - (today - then)) % 7 === 0;
  if (unit === "week") return to - from === mondayOf(today) - mondayOf(then);
  if (unit === "month") return monthOf(to) - monthOf(from) === monthOf(today) - monthOf(then);
  return to - from === today - then;
}

/** The epoch began on a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);

/** Months since the epoch. */
function monthOf(day: number): number {
  const near = Math.floor(day / 30.436_875);
  return [near + 1, near].find((month) => dayOf(1970, month + 1, 1) <= day) ?? near - 1;
}

const EPOCH = /^1\d{9}(?:\d{3}|\.\d+)?$/;
const TIME = /(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)? ?([ap])?\.?m?|[T_-](\d\d)[.-]?(\d\d)[.-]?(\d\d)$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
const OFFSET = /(?::\d\d(?:[.,]\d+)?|\bGMT|\bUTC) ?([+-])(\d\d):?(\d\d)/;

function readingOf(text: string, moment: number): Reading | undefined {
  if (EPOCH.test(text)) return ofInstant(Number(text) * (/^\d{13}$/.test(text) ? 1 : 1_000));
  const compact = COMPACT.exec(text);
  if (compact) return readingOf(text.replace(COMPACT, "$1-$2-$3 $4:$5:$6"), moment);
  const clock = TIME.exec(text);
  const time = clock === null ? undefined : timeIn(clock) - offsetIn(text);
  const date = clock === null ? text : text.replace(clock[0], " ").replace(OFFSET, " ");
  const said = dateIn(date, moment);
  if (said === undefined) return time === undefined ? undefined : { days: [], time, unit: "none" };
  return time === undefined ? said : { ...said, time };
}

const ofInstant = (ms: number): Reading => ({ days: [Math.floor(ms / DAY)], time: ms % DAY, unit: "day" });

function timeIn([, hour, minute, second = "0", half, h, m, s]: RegExpExecArray): number {
  if (h !== undefined) return Number(h) * HOUR + Number(m) * MINUTE + Number(s) * 1_000;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return hours * HOUR + Number(minute) * MINUTE + Number(second) * 1_000;
}

function offsetIn(text: string): number {
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
}

function dateIn(text: string, moment: number): Reading | undefined {
  const week = /^(\d{4})-W(\d\d)(?:-(\d))?/.exec(text);
  if (week) {
    // The fourth of January is in the first week.
    const fourth = dayOf(Number(week[1]), 1, 4);
    const monday = mondayOf(fourth) + (Number(week[2]) - 1) * 7;
    return week[3] === undefined
      ? { days: [monday], unit: "week" }
      : { days: [monday + Number(week[3]) - 1], unit: "day" };
  }
  const numbers = (/(\d{4})(\d\d)(\d\d)(?!\d)/.exec(text)?.slice(1) ?? text.match(/\d+/g) ?? []).map(Number);
  const month = monthIn(text);
  if (month !== undefined) return ofMonth(month, numbers, moment);
  const [a = 0, b = 0, c = 0] = numbers;
  if (numbers.length < 3) return weekdayIn(text);
  if (a > 31) return { days: [dayOf(a, b, c)], unit: "day" };
  const year = c < 100 ? c + 2_000 : c;
  return { days: [dayOf(year, a, b), dayOf(year, b, a)], unit: "day" };
}

/** Without a year, the one around the moment. */
function ofMonth(month: number, numbers: readonly number[], moment: number): Reading {
  const said = numbers.find((number) => number > 31);
  const day = numbers.find((number) => number <= 31);
  if (said !== undefined)
    return { days: [dayOf(said, month, day ?? 1)], unit: day === undefined ? "month" : "day" };
  const year = 1970 + Math.floor(monthOf(Math.floor(moment / DAY)) / 12);
  const days = [year - 1, year, year + 1].map((one) => dayOf(one, month, day ?? 1));
  const near = days.toSorted((one, other) => Math.abs(one * DAY - moment) - Math.abs(other * DAY - moment));
  return { days: near.slice(0, 1), unit: "day" };
}

/** Beginnings of the names of months, also of other languages, which no other name has. */
const MONTHS =
  "jan|ener,feb|fév|fev,mar|mär,apr|avr|abr,may|mai|mayo,jun|juin,jul|juil,aug|aoû|ago,sep,oct|okt,nov,dec|déc|dez|dic"
    .split(",")
    .map((names) => new RegExp(`(?<!\\p{L})(?:${names})`, "iu"));
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

function monthIn(text: string): number | undefined {
  const found = MONTHS.findIndex((month) => month.test(text.replaceAll(/\b(?:mon|sat|sun)\w*/gi, "")));
  return found < 0 ? undefined : found + 1;
}

function weekdayIn(text: string): Reading | undefined {
  const found = WEEKDAYS.findIndex((name) => text.toLowerCase().includes(name));
  return found < 0 ? undefined : { days: [found], unit: "weekday" };
}

/** Days since the epoch; a month beyond December is one of the next year. */
function dayOf(year: number, month: number, day: number): number {
  return daysBefore(year + Math.floor((month - 1) / 12), ((((month - 1) % 12) + 12) % 12) + 1, day);
}
