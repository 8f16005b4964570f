import { MONTHS, NAME_OF_ASIAN_DAY, NAME_OF_DAY, NAME_OF_MONTH, WEEKDAYS } from "./day-names.ts";

export const DAY_MS = 86_400_000;

export const findStartOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** A day of the calendar. `month` and `weekday` (Sunday is first) count from 0. */
interface CalendarDay {
  /** Its start in milliseconds since the epoch. */
  readonly at: number;
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
}

/** Computes the day at a time. Not with `Intl.DateTimeFormat`, which takes 15 ms to load. */
export function computeDay(at: number): CalendarDay {
  // oxlint-disable-next-line no-restricted-globals -- reads a given time, not the clock
  const day = new Date(at);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  return { at, year, month, date: day.getUTCDate(), weekday: day.getUTCDay() };
}

/** Whether a written date is this day, or its week or month. Its weekday, if it has one, must be right, too. */
export function isDay(text: string, day: CalendarDay): boolean {
  const { year, month, date, weekday } = day;
  const week = /^(\d{4})-?W(\d\d)(?:-?(\d))?$/i.exec(text);
  if (week !== null) {
    const [, ofYear, number, ofWeek] = week.map(Number);
    const [presentYear, present] = weekOf(day);
    return ofYear === presentYear && number === present && (ofWeek || weekday || 7) === (weekday || 7);
  }
  const asian = NAME_OF_ASIAN_DAY.exec(text)?.slice(1).join("");
  if (
    asian !== undefined &&
    !ASIAN_DAYS.some((names) => names.indexOf(asian.replace("天", "日")) === weekday)
  )
    return false;
  const nameOfDay = text.match(NAME_OF_DAY)?.[0];
  if (nameOfDay !== undefined && !isOneOf(WEEKDAYS[weekday], nameOfDay)) return false;
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const name = text.match(NAME_OF_MONTH)?.[0];
  if (name !== undefined && !isOneOf(MONTHS[month], name)) return false;
  if (numbers.length === 0) return asian !== undefined || nameOfDay !== undefined;
  const written = inOrder(numbers);
  const expected =
    name === undefined
      ? [
          [year, month + 1, date],
          [year % 100, month + 1, date],
        ]
      : [[year, date], [date], [year]];
  return expected.some((parts) => inOrder(parts) === written);
}

/** Weekdays from Sunday in Chinese, Japanese, and Korean. */
const ASIAN_DAYS = ["日一二三四五六", "日月火水木金土", "일월화수목금토"];

/** Returns the year and number of the ISO week of a day, which are those of its Thursday. */
function weekOf({ at, weekday }: CalendarDay): readonly [year: number, week: number] {
  const thursday = computeDay(at + (4 - (weekday || 7)) * DAY_MS);
  // oxlint-disable-next-line no-restricted-globals -- reads a given time, not the clock
  const days = (thursday.at - Date.UTC(thursday.year, 0, 1)) / DAY_MS;
  return [thursday.year, Math.floor(days / 7) + 1];
}

const isOneOf = (names = "", name: string): boolean => new RegExp(`^(?:${names})$`, "iu").test(name);

const inOrder = (numbers: readonly number[]): string => numbers.toSorted((one, other) => one - other).join();
