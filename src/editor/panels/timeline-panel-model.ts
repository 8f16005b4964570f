import { joinList, localize } from "../../core/base/localize.ts";
import { isFields, isTexts } from "../../core/base/lenient.ts";
import { getDeclaredName } from "../../core/call/test-names.ts";
import { alignRuns, describeOutcomeChange } from "../../core/view/run-record/align-runs.ts";
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
  readonly second?: string;
  /** Shows only this test, or the tests of this suite or file. The titles start with the outermost suite. */
  readonly test?: RunTest;
}

/** Reads a subject from a page; undefined for other values. */
export function readTimelineSubject(value: unknown): TimelineSubject | undefined {
  if (!isFields(value)) return undefined;
  const { folder, run, second, test } = value;
  return {
    ...(typeof folder === "string" && { folder }),
    ...(typeof run === "string" && { run }),
    ...(typeof second === "string" && { second }),
    ...(isTest(test) && { test }),
  };
}

function isTest(value: unknown): value is RunTest {
  return isFields(value) && typeof value["file"] === "string" && isTexts(value["name"]);
}

export interface TimelineSources {
  readonly log: RunLog;
  /** Returns the differences between the requests of two calls as lines; none if one is no longer known. */
  readonly compare: (first: RunCall, second: RunCall) => Promise<readonly string[]>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Maximum runs to choose from. */
const CHOICES = 100;
/** Maximum lines that are shown for a difference. */
const LINES = 4;
/** Milliseconds after the last call until a run counts as ended. */
export const STILL_MS = 30_000;

export async function collectTimelineData(
  subject: TimelineSubject,
  { log, compare, now }: TimelineSources,
): Promise<TimelineData> {
  const heads = await log.list();
  const run = await runOf(subject, heads, log);
  const second = subject.second === undefined ? undefined : await log.read(subject.second);
  const choices = heads.slice(0, CHOICES).map((head) => createRunChoice(head));
  return {
    isLive: run !== undefined && log.isOpen(run.id) && now - endedAt(run) < STILL_MS,
    choices,
    ...(run && { run }),
    ...(second && { second }),
    ...(run && second && { departures: await departuresOf(run, second, compare) }),
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
export function createRunChoice({ id, startedAt, mode, title, counts, left = 0 }: RunHead): RunChoice {
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

async function departuresOf(
  run: RunRecord,
  second: RunRecord,
  compare: TimelineSources["compare"],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const departures: [string, readonly string[]][] = [];
  for (const { id, departure } of alignRuns(run.calls, second.calls)) {
    const { first, second: other } = departure ?? {};
    if (first === undefined || other === undefined || first.key === other.key) continue;
    const lines = await compare(first, other);
    if (lines.length === 0) continue;
    const answer = describeOutcomeChange(first, other);
    departures.push([id, [...(answer === undefined ? [] : [answer]), ...lines.slice(0, LINES)]]);
  }
  return Object.fromEntries(departures);
}
