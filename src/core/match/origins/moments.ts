import { createTakenPlaces } from "./values.ts";

const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const YEAR = String.raw`20\d\d`;
const TIME = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[ \u202f]?[ap]\.?m\.?(?!\w))?`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT)(?!\w))?(?: ?[+-]\d\d:?\d\d(?!\d))?(?: \([\p{L} +:\d-]{3,48}\))?`;

/** Names of months in the languages that prompts are often written in, and their short forms. */
const MONTHS: readonly string[] = [
  "jan(?:uary|uar|uari|vier|eiro)?|ene(?:ro)?|gen(?:naio)?",
  "feb(?:ruary|ruar|ruari|rero|braio)?|f[ée]vr?(?:ier|ereiro)?",
  "mar(?:ch|zo|s|ço)?|märz?|maart|mrt",
  "apr(?:il|ile)?|avr(?:il)?|abr(?:il)?",
  "may(?:o)?|mai(?:o)?|mei|mag(?:gio)?",
  "june?|juni|juin|junio|junho|giu(?:gno)?",
  "july?|juli|juil(?:let)?|julio|julho|lug(?:lio)?",
  "aug(?:ust|ustus)?|août|ago(?:sto)?",
  "sept?(?:ember|embre|iembre)?|set(?:embro|tembre)?",
  "o[ck]t(?:ober|obre|ubre)?|out(?:ubro)?|ott(?:obre)?",
  "nov(?:ember|embre|iembre|embro)?",
  "de[czs](?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)?",
];
const WEEKDAYS: readonly string[] = [
  "sun(?:day)?|sonntag|dimanche|domingo|domenica|zondag",
  "mon(?:day)?|montag|lundi|lunes|lunedì|maandag|segunda-feira",
  "tues?(?:day)?|dienstag|mardi|martes|martedì|dinsdag|terça-feira",
  "wed(?:nesday)?|mittwoch|mercredi|miércoles|mercoledì|woensdag|quarta-feira",
  "thu(?:rs?)?(?:day)?|donnerstag|jeudi|jueves|giovedì|donderdag|quinta-feira",
  "fri(?:day)?|freitag|vendredi|viernes|venerdì|vrijdag|sexta-feira",
  "sat(?:urday)?|samstag|samedi|sábado|sabato|zaterdag",
];
const MONTH = `(?:${MONTHS.join("|")})`;
const WEEKDAY = `(?:${WEEKDAYS.join("|")})`;
const CHINESE_DAY = "(?:星期|周|週|礼拜)([日一二三四五六天])";
const AFTER = String.raw`(?:(?:,|:| at| um| à| a las| alle| às| om)? *${TIME}${ZONE})?`;

/** How moments are written, the longest forms first. */
const FORMS: readonly RegExp[] = [
  String.raw`(?<!\d)${YEAR}-\d\d-\d\d[T _]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?${ZONE}`,
  String.raw`(?<!\p{L})(?:${WEEKDAY}[.,]?,? +)?(?:el |le |der |den |dem )?${DAY}(?:st|nd|rd|th|\.)?(?: of| de)?[ /-]+${MONTH}\.?,?(?: de)?[ /-]+${YEAR}(?!\d)${AFTER}`,
  String.raw`(?<!\p{L})(?:${WEEKDAY}[.,]? +)?${MONTH}\.? +${DAY}(?:st|nd|rd|th)?,? +(?:${TIME}(?: [A-Z]{3,4})? +)?${YEAR}(?!\d)${AFTER}`,
  String.raw`${YEAR} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일](?: ?${CHINESE_DAY})?(?: ?${TIME})?`,
  String.raw`(?<!\d|\d-)${YEAR}-\d\d-\d\d(?!\d|-\d{1,4}(?!\w))`,
  String.raw`(?<![\d/])${YEAR}/\d\d/\d\d(?![\d/])${AFTER}`,
  String.raw`(?<![\d/])${DAY}/${DAY}/${YEAR}(?![\d/])${AFTER}`,
  String.raw`(?<![\d.])${DAY}\.${DAY}\.${YEAR}(?![\d.]\d)${AFTER}`,
  String.raw`(?<![\d-])${DAY}-${DAY}-${YEAR}(?![\d-])${AFTER}`,
  String.raw`(?<!\d)${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ?)?(?!\d)`,
  String.raw`(?<![\d.])1[6-9]\d{11}(?![\d.]\d)`,
  String.raw`(?<![\d.])1[6-9]\d{8}(?:\.\d{1,9})?(?![\d.]*\d)`,
  String.raw`(?<![\d:.])${TIME}${ZONE}(?![\d:])`,
  String.raw`(?<=(?:today is|today:|heute ist|nous sommes|hoy es|oggi è|hoje é|vandaag is|今天是) ?)(?:${WEEKDAY}|${CHINESE_DAY})(?!\p{L})`,
].map((form) => new RegExp(form, "giu"));

const HINT = /\d[:./-]\d|\d{8}|20\d\d|today|heute|nous sommes|hoy es|oggi|hoje|vandaag|今天/iu;

/** The time of a run, in milliseconds since the epoch, and the offsets from UTC in minutes in which it is written. */
export interface PresentTime {
  readonly since: number;
  readonly now: number;
  readonly zones: Iterable<number>;
}

/** A place in a text that spells the present moment, and how: "now: YYYY-#-#". */
export interface MomentPlace {
  readonly start: number;
  readonly end: number;
  readonly origin: string;
}

/** Finds the places of a text that spell a moment of the run in one of the usual forms. */
export function findMoments(text: string, time: PresentTime): readonly MomentPlace[] {
  if (!HINT.test(text)) return [];
  const found: MomentPlace[] = [];
  // A part of a longer date or time does not count.
  const taken = createTakenPlaces(text.length);
  for (const form of FORMS)
    for (const { 0: whole, index: start } of text.matchAll(form)) {
      const end = start + whole.length;
      if (taken.take(start, end) && isPresent(whole, time))
        found.push({ start, end, origin: `now: ${shapeOf(whole)}` });
    }
  return found;
}

const NAME_OF_MONTH = new RegExp(String.raw`(?<!\p{L})${MONTH}(?!\p{L})`, "giu");
const NAME_OF_CHINESE_DAY = new RegExp(CHINESE_DAY, "u");
const NAME_OF_DAY = new RegExp(String.raw`(?<!\p{L})${WEEKDAY}(?!\p{L})`, "giu");

/** Returns how a moment is written: "YYYY-#-#T#:#:#.#Z", "Weekday, # Month YYYY". */
function shapeOf(text: string): string {
  if (/^1[6-9]\d{8}(?:\.|$)/.test(text)) return text.includes(".") ? "seconds.#" : "seconds";
  if (/^1[6-9]\d{11}$/.test(text)) return "milliseconds";
  return text
    .replace(/ +/g, " ")
    .replace(NAME_OF_CHINESE_DAY, "Weekday")
    .replace(NAME_OF_DAY, "Weekday")
    .replace(NAME_OF_MONTH, "Month")
    .replace(/(\d)(?:st|nd|rd|th)\b/i, "$1th")
    .replace(/[ap](\.?)m(?![a-z])/i, "p$1m")
    .replace(/ \([^)]*\)$/, " (zone)")
    .replace(/[+-](?=\d\d:?\d\d(?: \(zone\))?$)/, "+")
    .replace(/\d+/g, (digits) =>
      /^20\d\d(?:\d{4})?$/.test(digits) ? `YYYY${"#".repeat(digits.length - 4)}` : "#",
    );
}

const MINUTE = 60_000;
const DAY_MS = 86_400_000;
/** Longest time between reading a time of day and asking about it: such a short text may mean another time. */
const LONGEST_TIME_OF_DAY = 10 * MINUTE;
const CLOCK = /(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[ \u202f]?([ap])\.?m\.?)?/iu;
const WRITTEN_ZONE = / ?(Z|UTC|GMT)?(?: ?([+-])(\d\d):?(\d\d))?(?: \([^)]*\))?$/u;

function isPresent(text: string, time: PresentTime): boolean {
  if (/^1[6-9]\d{8}/.test(text)) {
    const at = Number(text) * (/^\d{13}$/.test(text) ? 1 : 1_000);
    return time.since - 1_000 <= at && at <= time.now + 1_000;
  }
  const spaced = text
    .replace(/^(\d{4})(\d\d)(\d\d)(?!\d{1,5}$)[T_-]?/, "$1/$2/$3 ")
    .replace(/ (\d\d)(\d\d)(\d\d)Z?$/, " $1:$2:$3");
  const clock = CLOCK.exec(spaced);
  const date =
    clock === null ? spaced : spaced.slice(0, clock.index) + spaced.slice(clock.index + clock[0].length);
  const zones = clock === null ? [...time.zones] : zonesOf(spaced.slice(clock.index + clock[0].length), time);
  return zones.some((zone) =>
    isIn(zone, { date: clock === null ? date : date.replace(WRITTEN_ZONE, ""), clock }, time),
  );
}

/** Returns the written zone of a time; otherwise those in which the run writes times. */
function zonesOf(after: string, { zones }: PresentTime): readonly number[] {
  const [, utc, sign, hours, minutes] = WRITTEN_ZONE.exec(after) ?? [];
  if (sign !== undefined) return [(sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))];
  return utc === undefined ? [...zones] : [0];
}

function isIn(
  zone: number,
  { date, clock }: { readonly date: string; readonly clock: RegExpExecArray | null },
  { since, now }: PresentTime,
): boolean {
  const offset = zone * MINUTE;
  const isTimeAlone = !/[\p{L}\d]/u.test(date);
  const from = isTimeAlone ? Math.max(since, now - LONGEST_TIME_OF_DAY) : since;
  const timeOfDay = clock === null ? undefined : msOf(clock);
  for (let day = startOfDay(from + offset); day <= now + MINUTE + offset; day += DAY_MS) {
    if (!isTimeAlone && !isDay(date, dayAt(day))) continue;
    if (timeOfDay === undefined) return true;
    const at = day + timeOfDay - offset;
    if (from - MINUTE <= at && at <= now + MINUTE) return true;
  }
  return false;
}

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

function msOf([, hour, minute, second = "0", half]: RegExpExecArray): number {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return (hours * 60 + Number(minute)) * MINUTE + Number(second) * 1_000;
}

/** A day of the calendar. `month` and `weekday` (Sunday is first) count from 0. */
interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
}

const CALENDAR = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  timeZone: "UTC",
});

function dayAt(at: number): CalendarDay {
  const [month = 0, date = 0, year = 0] = CALENDAR.format(at).split("/").map(Number);
  // The epoch was a Thursday.
  return { year, month: month - 1, date, weekday: (at / DAY_MS + 4) % 7 };
}

/** Whether a written date is this day. Its weekday, if it has one, must be right, too. */
function isDay(text: string, { year, month, date, weekday }: CalendarDay): boolean {
  const [, chinese] = NAME_OF_CHINESE_DAY.exec(text) ?? [];
  if (chinese !== undefined && "日一二三四五六".indexOf(chinese.replace("天", "日")) !== weekday)
    return false;
  const nameOfDay = text.match(NAME_OF_DAY)?.[0];
  if (nameOfDay !== undefined && !isOneOf(WEEKDAYS[weekday], nameOfDay)) return false;
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  if (numbers.length === 0) return chinese !== undefined || nameOfDay !== undefined;
  const name = text.match(NAME_OF_MONTH)?.[0];
  if (name !== undefined && !isOneOf(MONTHS[month], name)) return false;
  const expected = name === undefined ? [year, month + 1, date] : [year, date];
  return inOrder(numbers) === inOrder(expected);
}

const isOneOf = (names = "", name: string): boolean => new RegExp(`^(?:${names})$`, "iu").test(name);

const inOrder = (numbers: readonly number[]): string => numbers.toSorted((one, other) => one - other).join();
