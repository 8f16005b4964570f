import { copyText } from "../../base/wire/text.ts";
import { DAY_MS, computeDay, isDay, findStartOfDay } from "./calendar-day.ts";
import { ASIAN_DAY, MONTH, NAME_OF_ASIAN_DAY, NAME_OF_DAY, NAME_OF_MONTH, WEEKDAY } from "./day-names.ts";
import { createTakenPlaces } from "./values.ts";
import { TIME_HINT } from "./hints.ts";

const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const YEAR = String.raw`20\d\d`;
const HALF = "(?:[上下]午|午[前後]|오[전후]|凌晨|清晨|早上|中午|晚上)";
const TIME = String.raw`(?:${HALF} ?)?(?:[01]?\d|2[0-3])(?::[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[ \u202f]?(?:[ap]\.?m\.?(?!\w)|[صم](?!\p{L})))?| ?[时時시] ?[0-5]?\d ?[分분])`;
/** Short names of zones, which count as those in which the run writes times. */
const ZONE_NAME = "(?:[CEW]ES?T|[ACEHMP][SD]T|AK[SD]T|AE[SD]T|BST|IST|[HJKMS][GKS][KT])";
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT)(?!\w)| ${ZONE_NAME}(?!\w))?(?: ?[+-]\d\d:?\d\d(?!\d))?(?: \([\p{L} +:\d-]{3,48}\))?`;

const AFTER = String.raw`(?:(?:,|:| at| um| à| a las| alle| às| om| в| kl\.?| في)? *${TIME}${ZONE})?`;

/** A word between numbers, which may be a month. */
const WORD = String.raw`\p{L}{3,12}`;
/**
 * Forms with the name of a month, from their first number on: the month and a weekday may be before it. To search for digits is
 * fast. A day without a year and a time counts with its weekday.
 */
const WITH_MONTH: readonly string[] = [
  String.raw`(?<!\d)${DAY}(?:st|nd|rd|th|\.)?(?: of| de)?[ /-]+${WORD}\.?,?(?: de)?[ /-]+${YEAR}(?!\d)(?: ${WEEKDAY}(?!\p{L}))?${AFTER}`,
  String.raw`(?<!\d)${DAY}(?:st|nd|rd|th)?,? +(?:${TIME}${ZONE} +)?${YEAR}(?!\d)${AFTER}`,
  String.raw`(?<!\d)${DAY}(?:\.? +${WORD}\.?)?,? +${TIME}(?![\d:])`,
  String.raw`(?<!\d)${YEAR}(?!\d)`,
  String.raw`(?<!\d)${DAY}(?:(?:st|nd|rd|th|\.)? +${WORD}|(?:st|nd|rd|th)?)(?![\p{L}\d])`,
];

/** Slow forms, and what every text with one of them has. */
const WITH_TIME = String.raw`(?<![\d:.])${TIME}${ZONE}(?![\d:])`;
const WITH_TODAY = String.raw`(?<=(?:today is|today:|heute ist|nous sommes|hoy es|oggi è|hoje é|vandaag is|今天是) ?)(?:${WEEKDAY}|${ASIAN_DAY})(?!\p{L})`;
const HINTS: Readonly<Record<string, RegExp>> = {
  [WITH_TIME]: /\d(?::[0-5]\d| ?[時时시])/,
  [WITH_TODAY]: /today|heute|sommes|hoy|oggi|hoje|vandaag|今天/i,
};

/** How moments are written, the longest forms first. */
const FORMS = [
  // In names of files, which have no colons.
  String.raw`(?<!\d)${YEAR}-\d\d-\d\d[T_-]\d\d-\d\d-\d\d(?:-\d{3}Z?)?(?![\w-])`,
  String.raw`(?<!\d)${YEAR}-\d\d-\d\d[T _]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?${ZONE}`,
  ...WITH_MONTH,
  String.raw`${YEAR} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일](?: ?${ASIAN_DAY})?(?: ?${TIME})?`,
  String.raw`datetime\.date(?:time)?\(${YEAR}, \d{1,2}, \d{1,2}(?:, \d{1,2}, \d{1,2}(?:, \d{1,2}(?:, \d{1,6})?)?)?`,
  // A week.
  String.raw`(?<![\w-])${YEAR}-?W[0-5]\d(?:-?[1-7])?(?![\w-])`,
  String.raw`(?<!\d|\d-)${YEAR}-\d\d-\d\d(?!\d|-\d{1,4}(?!\w))`,
  String.raw`(?<![\d/])${YEAR}/\d{1,2}/\d{1,2}(?![\d/])${AFTER}`,
  String.raw`(?<![\d/])${DAY}/${DAY}/${YEAR}(?![\d/])${AFTER}`,
  String.raw`(?<![\d.])${DAY}\. ?${DAY}\. ?${YEAR}(?![\d.]\d)${AFTER}`,
  String.raw`(?<![\d-])${DAY}-${DAY}-${YEAR}(?![\d-])${AFTER}`,
  String.raw`(?<!\d)${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ?)?(?!\d)`,
  String.raw`(?<![\d/.])${DAY}([/.])${DAY}\1\d\d(?![\d/.]\d|\d)`,
  String.raw`(?<![\d.])1[6-9]\d{11}(?:\d{3}|\d{6})?(?![\d.]\d|\d)`,
  String.raw`(?<![\d.])1[6-9]\d{8}(?:\.\d{1,9})?(?![\d.]*\d)`,
  WITH_TIME,
  WITH_TODAY,
].map((form) => ({
  pattern: new RegExp(form, "giu"),
  hasMonth: WITH_MONTH.includes(form),
  hint: HINTS[form],
  hasCore: form !== WITH_TODAY && form !== WITH_MONTH.at(-1),
}));

/** Every form has one of these, except a day without a year and a time. */
const CORE = /20\d\d|\d[:/.]\d|\d ?[時时시]|\d{10}/g;
/** Characters before and behind a core in which its form is. */
const AROUND = 256;

const HINT = new RegExp(TIME_HINT);

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
  return findForms(text)
    .filter(({ isPresent }) => isPresent(time))
    .map(({ start, end }) => ({ start, end, origin: `now: ${shapeOf(text.slice(start, end))}` }));
}

/** A place that may spell a moment: past, present, or none. */
interface WrittenForm {
  readonly start: number;
  readonly end: number;
  readonly isPresent: (time: PresentTime) => boolean;
}

/** Characters of a text whose forms are remembered, and of all of these texts. */
const [FEWEST_KEPT, MOST_KEPT] = [1_024, 1_048_576];
/** The forms of long texts, because each call of an agent repeats the messages of its earlier calls. */
const known = new Map<string, readonly WrittenForm[]>();
let knownLength = 0;

function findForms(text: string): readonly WrittenForm[] {
  if (text.length < FEWEST_KEPT) return searchForms(text);
  const before = known.get(text);
  if (before !== undefined) return before;
  knownLength += text.length;
  if (knownLength > MOST_KEPT) {
    known.clear();
    knownLength = text.length;
  }
  // Not a part of the request's whole text, which it would keep in memory.
  const own = copyText(text);
  const forms = searchForms(own);
  known.set(own, forms);
  return forms;
}

function searchForms(written: string): readonly WrittenForm[] {
  if (!HINT.test(written)) return [];
  const text = written.replace(/[٠-٩]/g, (digit) => String("٠١٢٣٤٥٦٧٨٩".indexOf(digit)));
  const found: WrittenForm[] = [];
  // A part of a longer date or time does not count.
  const taken = createTakenPlaces(text.length);
  const parts = findPartsWithCore(text);
  for (const { pattern, hasMonth, hint, hasCore } of FORMS) {
    if (hint?.test(text) === false) continue;
    for (const { from, part } of hasCore ? parts : [{ from: 0, part: text }])
      // Not with `matchAll`, which compiles the pattern again for each text.
      for (let match = pattern.exec(part); match !== null; match = pattern.exec(part)) {
        const end = from + pattern.lastIndex;
        const index = from + match.index;
        const start = hasMonth ? startWithMonth(text, index, end) : index;
        if (start === undefined || !taken.take(start, end)) continue;
        found.push({ start, end, isPresent: readForm(text.slice(start, end)) });
      }
  }
  return found;
}

/** Returns the parts of a text that may have forms, because most of a long prompt has none. */
function findPartsWithCore(text: string): readonly { readonly from: number; readonly part: string }[] {
  const parts: { from: number; to: number }[] = [];
  while (CORE.test(text)) {
    const index = CORE.lastIndex;
    const last = parts.at(-1);
    if (last !== undefined && index - AROUND <= last.to) last.to = index + AROUND;
    else parts.push({ from: Math.max(0, index - AROUND), to: index + AROUND });
  }
  return parts.map(({ from, to }) => ({ from, part: text.slice(from, to) }));
}

/** Returns where a form of `WITH_MONTH` begins with its weekday; undefined if it has no month, or only a day of one. */
function startWithMonth(text: string, start: number, end: number): number | undefined {
  const written = text.slice(start, end);
  const hasMonth = ANY_MONTH.test(written);
  const first = wordBefore(text, start);
  if (!hasMonth && (first === undefined || !ANY_MONTH.test(first.word))) return undefined;
  const from = first !== undefined && (!hasMonth || ARTICLE.test(first.word)) ? first.start : start;
  const before = from === start ? first : wordBefore(text, from);
  if (before !== undefined && ANY_DAY.test(before.word)) return before.start;
  return /\d{4}|:/.test(written) ? from : undefined;
}

function wordBefore(text: string, at: number): { readonly word: string; readonly start: number } | undefined {
  const [whole = "", word = ""] = WORD_BEFORE.exec(text.slice(Math.max(0, at - LONGEST_BEFORE), at)) ?? [];
  return word === "" ? undefined : { word, start: at - whole.length };
}

const WORD_BEFORE = /(?<!\p{L})(\p{L}[\p{L}-]{1,13})[.,،]{0,2} +$/u;
const LONGEST_BEFORE = 24;
const ARTICLE = /^(?:el|le|der|den|dem)$/i;
const ANY_MONTH = new RegExp(String.raw`(?<!\p{L})${MONTH}(?!\p{L})`, "iu");
const ANY_DAY = new RegExp(`^${WEEKDAY}$`, "iu");

const NAME_OF_HALF = new RegExp(`${HALF}|[صم](?=$|[^\\p{L}])`, "u");
const HALF_AND_TIME = new RegExp(`(${HALF}) ?([\\d:]+)`);
const NAME_OF_ZONE = new RegExp(` (?:UTC|GMT|${ZONE_NAME})(?![\\w+-])`);
/** Units in which the time since the epoch is written, by the number of digits. */
const UNITS: ReadonlyMap<number, string> = new Map([
  [13, "milliseconds"],
  [16, "microseconds"],
  [19, "nanoseconds"],
]);

/** Returns how a moment is written: "YYYY-#-#T#:#:#.#Z", "Weekday, # Month YYYY". */
function shapeOf(text: string): string {
  if (/^1[6-9]\d{8}(?:\.|$)/.test(text)) return text.includes(".") ? "seconds.#" : "seconds";
  const unit = UNITS.get(text.length);
  if (unit !== undefined && /^\d+$/.test(text)) return unit;
  return text
    .replace(NAME_OF_HALF, "a.m.")
    .replace(NAME_OF_ZONE, " zone")
    .replace(/ +/g, " ")
    .replace(NAME_OF_ASIAN_DAY, "Weekday")
    .replace(NAME_OF_DAY, "Weekday")
    .replace(NAME_OF_MONTH, "Month")
    .replace(/(\d)(?:st|nd|rd|th)\b/i, "$1th")
    .replace(/[ap](\.?)m(?![a-z])/i, "p$1m")
    .replace(/ \([^)]*\)$/, " (zone)")
    .replace(/[+-](?=\d\d:?\d\d(?: \(zone\))?$)/, "+")
    .replace(/W\d+/, "W#")
    .replace(/[٠-٩]+/g, "٠")
    .replace(/\d+/g, (digits) =>
      /^20\d\d(?:\d{4})?$/.test(digits) ? `YYYY${"#".repeat(digits.length - 4)}` : "#",
    );
}

const MINUTE = 60_000;
/** Longest time between reading a time of day and asking about it: such a short text may mean another time. */
const LONGEST_TIME_OF_DAY = 10 * MINUTE;
const CLOCK = /(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[ \u202f]?([ap])\.?m\.?)?/iu;
const WRITTEN_ZONE = / ?(Z|UTC|GMT)?(?: ?([+-])(\d\d):?(\d\d))?(?: \([^)]*\))?$/u;

/** Returns the check whether what is written is a moment of a run. */
function readForm(text: string): WrittenForm["isPresent"] {
  if (/^1[6-9]\d{8}/.test(text)) {
    const [digits = "", fraction = digits.slice(10)] = text.split(".");
    const at = Number(`${digits.slice(0, 10)}.${fraction}`) * 1_000;
    return ({ since, now }) => since - 1_000 <= at && at <= now + 1_000;
  }
  const spaced = spellPlainly(text);
  const clock = CLOCK.exec(spaced);
  const [before, after] =
    clock === null
      ? [spaced, ""]
      : [spaced.slice(0, clock.index), spaced.slice(clock.index + clock[0].length)];
  const date = clock === null ? before : (before + after).replace(WRITTEN_ZONE, "");
  const moment = { date, clock: clock === null ? undefined : msOf(clock), isTimeAlone: !HAS_DATE.test(date) };
  const written = clock === null ? undefined : readZone(after);
  return (time) => (written ?? [...time.zones]).some((zone) => isIn(zone, moment, time));
}

const HAS_DATE = /[\p{L}\d]/u;

/** Returns a moment with its time as in English: "11月27日 午後6時20分" as "11月27日 6:20 pm". */
const spellPlainly = (text: string): string =>
  text
    .replace(NAME_OF_ZONE, (zone) => (/UTC|GMT/.test(zone) ? zone : ""))
    .replace(/^datetime\.\w+\((.*)$/, (_, parts: string) => {
      const [date, time] = [parts.split(", ").slice(0, 3), parts.split(", ").slice(3, 6)];
      return `${date.join("/")} ${time.join(":")}`;
    })
    .replace(/(?<=[ :])(\d)(?=:|$)/g, "0$1")
    .replace(
      /(\d{1,2}) ?[時时시] ?(\d{1,2}) ?[分분]/,
      (_, hour, minute) => `${hour}:${String(minute).padStart(2, "0")}`,
    )
    .replace(
      HALF_AND_TIME,
      (_, half, time) => `${time} ${/^(?:下午|午後|오후|中午|晚上)/.test(half) ? "pm" : "am"}`,
    )
    .replace(/ ([صم])(?!\p{L})/u, (_, half) => (half === "م" ? " pm" : " am"))
    .replace(/^([\d-]{10})[T_-](\d\d)-(\d\d)-(\d\d)/, "$1 $2:$3:$4")
    .replace(/(?<=:\d\d)-(?=\d{3}Z?$)/, ".")
    .replace(/^(\d{4})(\d\d)(\d\d)(?!\d{1,5}$)[T_-]?/, "$1/$2/$3 ")
    .replace(/ (\d\d)(\d\d)(\d\d)Z?$/, " $1:$2:$3");

/** Returns the written zone of a time; undefined if the time has none, so that the zones of the run apply. */
function readZone(after: string): readonly number[] | undefined {
  const [, utc, sign, hours, minutes] = WRITTEN_ZONE.exec(after) ?? [];
  if (sign !== undefined) return [(sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))];
  return utc === undefined ? undefined : [0];
}

interface WrittenMoment {
  readonly date: string;
  /** Milliseconds since midnight. */
  readonly clock: number | undefined;
  readonly isTimeAlone: boolean;
}

function isIn(
  zone: number,
  { date, clock, isTimeAlone }: WrittenMoment,
  { since, now }: PresentTime,
): boolean {
  const offset = zone * MINUTE;
  const from = isTimeAlone ? Math.max(since, now - LONGEST_TIME_OF_DAY) : since;
  for (let day = findStartOfDay(from + offset); day <= now + MINUTE + offset; day += DAY_MS) {
    if (!isTimeAlone && !isDay(date, computeDay(day))) continue;
    if (clock === undefined) return true;
    const at = day + clock - offset;
    if (from - MINUTE <= at && at <= now + MINUTE) return true;
  }
  return false;
}

function msOf([, hour, minute, second = "0", half]: RegExpExecArray): number {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return (hours * 60 + Number(minute)) * MINUTE + Number(second) * 1_000;
}
