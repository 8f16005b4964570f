import { describe, expect, it } from "vitest";
import { formatAge, parseInstant, formatShortAge } from "../../../src/core/base/age.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

describe("ages", () => {
  it.each([
    [0, "just now", "now"],
    [59_999, "just now", "now"],
    [MINUTE, "1 minute ago", "1 min"],
    [59 * MINUTE, "59 minutes ago", "59 min"],
    [60 * MINUTE, "1 hour ago", "1 h"],
    [DAY - 1, "23 hours ago", "23 h"],
    [3 * DAY, "3 days ago", "3 d"],
    [29 * DAY, "29 days ago", "29 d"],
    [61 * DAY, "2 months ago", "2 mo"],
    [364 * DAY, "12 months ago", "12 mo"],
    [800 * DAY, "2 years ago", "2 y"],
  ])("formats %d ms in words and in short", (passed, words, short) => {
    const now = 1_800_000_000_000;

    expect(formatAge(now - passed, now)).toBe(words);
    expect(formatShortAge(now - passed, now)).toBe(short);
  });

  it("shows times in the future as just now, because clocks differ", () => {
    expect(formatAge(2000, 1000)).toBe("just now");
    expect(formatShortAge(9_000_000, 0)).toBe("now");
  });
});

describe("instants of recordings", () => {
  it.each([
    "1970-01-01T00:00:00Z",
    "2024-02-29T23:59:59.999Z",
    "2000-03-01T00:00:00.5Z",
    "2026-11-20T08:15:30.123456Z",
    "2100-02-28T12:00:00Z",
    "2026-01-31T12:00:00+05:30",
    "2026-01-01T00:30:00.250-08:00",
  ])("reads %s as the platform does", (iso) => {
    expect(parseInstant(iso)).toBe(Date.parse(iso));
  });

  it("knows the length of every month, leap years and centuries too", () => {
    const days = [1999, 2000, 2024, 2026, 2100].flatMap((year) =>
      Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(year, 0, day + 1)).toISOString()),
    );

    expect(days.filter((iso) => parseInstant(iso) !== Date.parse(iso))).toEqual([]);
  });

  it.each(["", "yesterday", "2026-11-20", "2026-11-20T08:15:30", "20 Nov 2026"])(
    "does not guess at %j",
    (text) => {
      expect(parseInstant(text)).toBeUndefined();
    },
  );
});
