import { describe, expect, it } from "vitest";
import { movedWithCalendar } from "../../../../src/core/match/rules/calendar.ts";

const moments = (recordedAt: string, at: string) => ({
  recordedAt: Date.parse(recordedAt),
  at: Date.parse(at),
});
const YEARS = moments("2024-02-29T10:11:12Z", "2026-11-23T01:02:03Z");
const MINUTES = moments("2026-11-23T10:11:12Z", "2026-11-23T10:21:13Z");

describe("a date or time that moved with the calendar", () => {
  it.each([
    ["2024-02-29", "2026-11-23"],
    ["2024-02-29T10:11:12.123Z", "2026-11-23T01:02:03Z"],
    ["2024-02-29T12:11:12+02:00", "2026-11-23T02:02:03+01:00"],
    ["2024-03-07", "2026-11-30"],
    ["2024-W09-4", "2026-W48-1"],
    ["2024-W09", "2026-W48"],
    ["Thursday, February 29, 2024", "Monday, November 23, 2026"],
    ["Thu, 29 Feb 2024 10:11:12 GMT", "Mon, 23 Nov 2026 01:02:03 GMT"],
    ["29.02.2024", "23.11.2026"],
    ["2/29/2024", "11/23/2026"],
    ["29 février 2024", "23 novembre 2026"],
    ["29. Februar 2024", "23. November 2026"],
    ["2024年2月29日", "2026年11月23日"],
    ["20240229_101112", "20261123_010203"],
    ["February 2024", "November 2026"],
    ["Thursday", "Monday"],
    ["Feb 29 10:11:12", "Nov 23 01:02:03"],
    ["1709201472", "1795395723"],
    ["1709201472123", "1795395723456"],
    ["10:11:12", "01:02:03"],
    ["10:11 AM", "1:02 AM"],
  ])("is %s, asked again as %s", (recorded, asked) => {
    expect(movedWithCalendar(recorded, asked, YEARS)).toBe(true);
  });

  it.each([
    ["1969-07-20", "1969-07-21"],
    ["2024-02-29", "2026-11-30"],
    ["July 20, 1969", "November 9, 1989"],
    ["2024-02-29T09:00:00Z", "2026-11-24T18:00:00Z"],
    ["10:00:00", "18:30:00"],
    ["Monday", "Tuesday"],
    ["March 2024", "June 2025"],
    ["2024-W09", "2026-W40"],
    ["1709201472", "1709201999"],
    ["soon", "later"],
  ])("is not %s beside %s", (recorded, asked) => {
    expect(movedWithCalendar(recorded, asked, YEARS)).toBe(false);
  });

  it("moves by minutes within a run, and by no day", () => {
    expect(movedWithCalendar("2026-11-23 10:11:12", "2026-11-23 10:21:13", MINUTES)).toBe(true);
    expect(movedWithCalendar("2026-11-23", "2026-11-24", MINUTES)).toBe(false);
    expect(movedWithCalendar("10:11:12", "11:41:12", MINUTES)).toBe(false);
  });
});
