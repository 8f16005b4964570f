import { existsSync } from "node:fs";
import type { CallEvent, TestRef } from "../core/exchange.ts";
import { readLocal, writeLocal } from "../storage/local-state.ts";

/** Which recordings were used, as far as this machine has seen. Kept beside the recordings, out of git. */
export interface Usage {
  /** When the last run that tells what is used began: one whose every call has a recording. ISO 8601, as all times here. */
  readonly lastRun: string;
  /** By entry: when it last answered a call, or was recorded. */
  readonly entries: Readonly<Record<string, string>>;
  /** By test (`testName`): when the last run began in which it made calls and each of them has a recording. */
  readonly tests: Readonly<Record<string, string>>;
}

const NAME = "usage";

/** What names a test in `Usage.tests`: its file and titles, without its line, which moves. */
export function testName({ file, name }: Pick<TestRef, "file" | "name">): string {
  return [file, ...name].join(" › ");
}

/** Undefined where no run was seen yet, or what was written of it cannot be read. */
export async function readUsage(dir: string): Promise<Usage | undefined> {
  return parseUsage(await readLocal(dir, NAME));
}

/** Notes what the calls of one run use. */
export interface UsageNotes {
  note(event: CallEvent): void;
  /** Adds the notes to what is known. It is a convenience: where it cannot be kept, nothing fails. */
  save(dir: string): Promise<void>;
}

/** `startedAt`: when the run began, in milliseconds since the epoch. */
export function createUsageNotes(startedAt: number): UsageNotes {
  const startedAtText = new Date(startedAt).toISOString();
  const entries = new Map<string, string>();
  const tests = new Set<string>();
  // A test that was not answered may have ended there: what it would have asked for next is not unused.
  const brokenOff = new Set<string>();
  let unanswered = 0;
  let calls = 0;
  return {
    note({ entry, test, at }) {
      calls += 1;
      if (entry !== null) entries.set(entry, new Date(at).toISOString());
      else unanswered += 1;
      if (test === undefined) return;
      tests.add(testName(test));
      if (entry === null) brokenOff.add(testName(test));
    },
    async save(dir) {
      // Without a recording there is nothing to tell of, and a folder only for this would be in the way.
      if (calls === 0 || !existsSync(dir)) return;
      const known = await readUsage(dir);
      const told = unanswered === 0 ? startedAtText : known?.lastRun;
      if (told === undefined) return;
      const whole = [...tests].filter((test) => !brokenOff.has(test));
      const usage: Usage = {
        lastRun: told,
        entries: { ...known?.entries, ...Object.fromEntries(entries) },
        tests: { ...known?.tests, ...Object.fromEntries(whole.map((test) => [test, startedAtText])) },
      };
      await writeLocal(dir, NAME, usage).catch(() => {});
    },
  };
}

function parseUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { lastRun, entries, tests } = value as Record<string, unknown>;
  if (typeof lastRun !== "string") return undefined;
  return { lastRun, entries: texts(entries), tests: texts(tests) };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
