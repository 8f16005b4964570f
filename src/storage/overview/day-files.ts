import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { addRun, dayFromJson, dayToJson, type Day } from "../../core/overview/day.ts";
import { callsIn } from "../../core/overview/sums.ts";
import type { RunSums } from "../../core/overview/run-sums.ts";
import { testsWithoutSecrets } from "../local/own-scanner.ts";
import { localPath, mayReadLocal, readLocal, updateLocal } from "../local/local-state.ts";

/** So many days are kept. */
export const DAYS_KEPT = 90;

const DAY_MS = 86_400_000;
const FILE = /^day-(\d{4}-\d\d-\d\d)\.json$/;

export interface NotedDay {
  /** "2026-11-23". */
  readonly day: string;
  readonly sums: Day;
}

/** The day of this machine's calendar; `at` in milliseconds since the epoch. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The days that end with `now`, oldest first, whether anything ran in them or not. */
export function lastDays(count: number, now: number): readonly string[] {
  const noon = new Date(now).setHours(12, 0, 0, 0); // a day of a clock change has not 24 hours
  return Array.from({ length: count }, (_, index) => dayOf(noon - (count - 1 - index) * DAY_MS));
}

/**
 * Adds a run to the day in which it began; days too long before it go. A file that cannot be read is kept beside, and its
 * day begins anew. Where there is no cassette folder, or no call, nothing is written.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function addRunToDay(dir: string, run: RunSums): Promise<void> {
  if (callsIn(run.all) === 0 || !existsSync(dir)) return;
  const told = { ...run, tests: await testsWithoutSecrets(run.tests) };
  await updateLocal(dir, fileOfDay(dayOf(run.at)), (known) => dayToJson(addRun(dayFromJson(known), told)));
  await forgetBefore(dir, lastDays(DAYS_KEPT, run.at)[0] ?? "");
}

/** What was noted of these days; those without a run are left out. Never throws. */
export async function readDays(dir: string, days: readonly string[]): Promise<readonly NotedDay[]> {
  const there = new Set(await daysIn(dir));
  const noted = await Promise.all(
    days
      .filter((day) => there.has(day))
      .map(async (day) => ({ day, sums: dayFromJson(await readLocal(dir, fileOfDay(day))) })),
  );
  return noted.filter(({ sums }) => sums.runs > 0);
}

async function daysIn(dir: string): Promise<readonly string[]> {
  if (!mayReadLocal(dir)) return [];
  const names = await readdir(join(dir, localPath(""))).catch(() => []);
  return names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
}

async function forgetBefore(dir: string, first: string): Promise<void> {
  const old = (await daysIn(dir)).filter((day) => day < first);
  for (const day of old) await rm(join(dir, localPath(`${fileOfDay(day)}.json`)), { force: true });
}

const fileOfDay = (day: string): string => `day-${day}`;
