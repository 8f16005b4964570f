import { expect, test } from "vitest";
import { ValuePool } from "../../../src/core/call/value-pool.ts";
import { findValues } from "../../../src/core/match/origins/find-values.ts";

const NOW = Date.UTC(2026, 10, 27, 12);
/** UTF-16 code units of the longest text that is searched. */
const LONGEST = 262_144;

const PARTS =
  "a|1|a1|call-|call_a |pid 1 |2026-11-27T|27 November 2026 |Friday, |/tmp/agent-|=|-|e2b4-|11:|1764244800|1764244800.|20261127|2026.|27.11.|today is ";

test.each(PARTS.split("|"))(
  "a long text of %j is searched in one pass, so that a request with data does not stop the others",
  (part) => {
    const pool = new ValuePool();
    pool.add("uuid", "0b0e2a52-6f5b-4c5e-9d53-0a8a2f1f6f6a");
    pool.add("temp folder", "/tmp/agent-x1");
    const text = part.repeat(Math.ceil(LONGEST / part.length)).slice(0, LONGEST);

    const found = findValues([text], { pool, places: [], now: NOW, since: NOW - 1_000, zones: new Set([0]) });

    expect(found.length).toBeLessThan(4);
  },
);

const PROSE = "Parcel 148 of the order left the warehouse, and the customer waits for it. ".repeat(40);

test.each([
  ["Friday, 27 November 2026 at 12:00", "now: Weekday, # Month YYYY at #:#"],
  ["Friday, 27 November", "now: Weekday, # Month"],
  ["2026-11-27T12:00:00Z", "now: YYYY-#-#T#:#:#Z"],
  ["1795780800", "now: seconds"],
  ["27/11/26", "now: #/#/#"],
])("%s is found wherever it is in a long prompt", (date, origin) => {
  const search = { places: [], now: NOW, since: NOW - 1_000, zones: new Set([0]) };

  for (const text of [`${date}. ${PROSE}`, `${PROSE}Today is ${date}. ${PROSE}`, `${PROSE}${date}`])
    expect(findValues([text], search)).toEqual([{ text: date, origin }]);
});
