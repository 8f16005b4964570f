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
    ["1970-01-01T00:00:01Z", 1_000],
    ["2026-11-20T08:15:30.123456Z", 1_795_162_530_123],
    ["2026-01-31T12:00:00+05:30", 1_769_841_000_000],
    ["", undefined],
    ["2026-11-20T25:00:00Z", undefined],
    ["2026-11-20T08:15:30", undefined],
    ["20 Nov 2026", undefined],
  ])("reads %j as %j, and guesses at none", (text, at) => {
    expect(parseInstant(text)).toBe(at);
  });
});
