/** Languages whose names of days and months are known; those of others are words as any. */
const LOCALES =
  "en de fr es it pt nl pl ru uk cs sk hu ro bg el tr sv da nb fi et lv lt hr sl ar he hi bn ja ko zh vi th id".split(
    " ",
  );
const UNITS = ["second", "minute", "hour", "day", "week", "month", "year"] as const;
const ZONES = new Set(
  "UTC GMT CET CEST EET EEST WET WEST BST EST EDT CST CDT MST MDT PST PDT JST IST".split(" "),
);

let known: ReadonlySet<string> | undefined;

/** Whether it is a name of a day or month, a part of the day, a zone, or a word such as "ago" and "minutes". */
export function isCalendarWord(word: string): boolean {
  known ??= new Set(LOCALES.flatMap(wordsOfLocale));
  return known.has(bare(word)) || ZONES.has(word);
}

const bare = (word: string): string => word.toLowerCase().replaceAll(/^[.\-–]+|[.\-–]+$/g, "");

function wordsOfLocale(locale: string): readonly string[] {
  return (["long", "short"] as const).flatMap((style) => {
    // Beside a day, many languages write a month in another case.
    const date = { year: "numeric", month: style, day: "numeric" } as const;
    const texts = [
      { month: style },
      date,
      { weekday: style },
      { hour: "numeric", hour12: true } as const,
    ].flatMap((format) => {
      const writer = new Intl.DateTimeFormat(locale, { ...format, timeZone: "UTC" });
      return TIMES.map((time) => writer.format(time));
    });
    const relative = new Intl.RelativeTimeFormat(locale, { style, numeric: "auto" });
    const spans = UNITS.flatMap((unit) =>
      [-5, -2, -1, 0, 1, 2, 5].map((value) => relative.format(value, unit)),
    );
    return [...texts, ...spans].flatMap((text) => text.match(WORD) ?? []).map(bare);
  });
}

const WORD = /\p{sc=Han}|[\p{L}\p{M}][\p{L}\p{M}.’-]*/gu;
const DAY = 86_400_000;
/** 15 January 2023, midnight UTC. */
const START = 1_673_740_800_000;
/** A time in every month and at every second hour, then one on every day of the week. */
const TIMES = [
  ...Array.from({ length: 12 }, (_, month) => START + Math.floor(month * 30.4) * DAY + (month * DAY) / 12),
  ...Array.from({ length: 7 }, (_, day) => START + day * DAY),
];
