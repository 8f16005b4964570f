import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ANSWERED } from "../../support/other-recorders.ts";
import { anInteraction, importIn } from "../imports.ts";
import { aProject } from "../tapedeck.ts";

const WRITTEN = "2026-02-03T04:05:06.000Z";

interface Dates {
  readonly recorded_at?: string;
  readonly date?: string;
  readonly answer?: object;
}

it.each<readonly [from: string, dates: Dates, recordedAt: string]>([
  ["its cassette", { recorded_at: "Tue, 01 Nov 2011 04:58:44 GMT" }, "2011-11-01T04:58:44.000Z"],
  ["the provider's header", { date: "Mon, 04 Aug 2025 10:00:00 GMT" }, "2025-08-04T10:00:00.000Z"],
  ["a number in the reply", { answer: { created: 1_749_514_895 } }, "2025-06-10T00:21:35.000Z"],
  ["a date in the reply", { answer: { created_at: "2026-04-14T00:25:59.133Z" } }, "2026-04-14T00:25:59.133Z"],
  ["its file, as the last resort", {}, WRITTEN],
  ["its file if the reply has no date", { answer: { created: 0 } }, WRITTEN],
])("an imported recording has the date of %s", async (_, { recorded_at, date, answer }, recordedAt) => {
  const { created: _created, ...answered } = ANSWERED;
  const replyHeaders = { "content-type": "application/json", ...(date !== undefined && { date }) };
  const call = { ...anInteraction({ answered: { ...answered, ...answer }, replyHeaders }), recorded_at };
  const cwd = aProject({ "one.json": JSON.stringify({ interactions: [call] }) });
  utimesSync(join(cwd, "one.json"), new Date(WRITTEN), new Date(WRITTEN));

  const { recordings } = await importIn(cwd, "one.json");

  expect(recordings.map((one) => one.recordedAt)).toEqual([recordedAt]);
});
