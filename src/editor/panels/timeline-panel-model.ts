import { joinList, localize } from "../../core/base/localize.ts";
import { isFields, isTexts } from "../../core/base/lenient.ts";
import { getDeclaredName } from "../../core/call/test-names.ts";
import {
  describeMode,
  type RunCall,
  type RunRecord,
  type RunTest,
} from "../../core/view/run-record/run-record.ts";
import { pickRunHead, type RunHead } from "../../core/view/run-record/run-record-text.ts";
import type { RunChoice, TimelineData } from "../../core/view/run-record/timeline-data.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import type { RunLog } from "../runs/run-log-model.ts";

/** The subject of a timeline. Plain, because pages store it across a reload of the window. */
export interface TimelineSubject {
  /** The folder's tag; absent in a window with one folder. */
  readonly folder?: string;
  /** Absent for the newest run, also after a new one starts. */
  readonly run?: string;
  /** Shows only this test, or the tests of this suite or file. The titles start with the outermost suite. */
  readonly test?: RunTest;
}

/** Reads a subject from a page; undefined for other values. */
export function readTimelineSubject(value: unknown): TimelineSubject | undefined {
  if (!isFields(value)) return undefined;
  const { folder, run, test } = value;
  return {
    ...(typeof folder === "string" && { folder }),
    ...(typeof run === "string" && { run }),
    ...(isTest(test) && { test }),
  };
}

function isTest(value: unknown): value is RunTest {
  return isFields(value) && typeof value["file"] === "string" && isTexts(value["name"]);
}

export interface TimelineSources {
  readonly log: RunLog;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Maximum runs to choose from. */
const CHOICES = 100;
/** Milliseconds after the last call until a run counts as ended. */
export const STILL_MS = 30_000;

export async function collectTimelineData(
  subject: TimelineSubject,
  { log, now }: TimelineSources,
): Promise<TimelineData> {
  const heads = await log.list();
  const run = await runOf(subject, heads, log);
  const choices = heads.slice(0, CHOICES).map(createRunChoice);
  return {
    isLive: run !== undefined && log.isOpen(run.id) && now - endedAt(run) < STILL_MS,
    choices,
    ...(run && { run }),
    ...(subject.test && { test: subject.test }),
  };
}

/** Reads the named run, or else the newest run that contains the test. */
async function runOf(
  { run, test }: TimelineSubject,
  heads: readonly RunHead[],
  log: RunLog,
): Promise<RunRecord | undefined> {
  if (run !== undefined) {
    const found = await log.read(run);
    if (found) return found;
  }
  const [newest] = heads;
  if (newest === undefined) return undefined;
  if (test === undefined) return log.read(newest.id);
  for (const { id } of heads.slice(0, CHOICES)) {
    const record = await log.read(id);
    if (record?.calls.some((call) => isOf(call, test)) === true) return record;
  }
  return log.read(newest.id);
}

function isOf({ test }: RunCall, wanted: RunTest): boolean {
  if (test?.file !== wanted.file) return false;
  const titles = getDeclaredName(test);
  return getDeclaredName(wanted).every(
    (title, index) => titles[index] === title || test.name[index] === title,
  );
}

const endedAt = (run: RunRecord): number => run.startedAt + pickRunHead(run).ms;

/** Returns `14:03 · strict · 12 calls, 2 missing · npm test`. */
function createRunChoice({ id, startedAt, mode, title, counts, left = 0 }: RunHead): RunChoice {
  const calls = Object.values(counts).reduce((sum, count) => sum + count, left);
  const facts = [
    localizeCount(calls, "{0} call", "{0} calls"),
    ...(counts.miss === undefined ? [] : [localize("{0} missing", formatCount(counts.miss))]),
  ];
  const when = new Date(startedAt).toLocaleString(localize("en-US"), {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  return {
    id,
    title: [when, describeMode(mode), joinList(facts), ...(title ? [title] : [])].join(" · "),
  };
}
