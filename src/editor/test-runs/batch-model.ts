import type { CallEvent } from "../../core/call/call.ts";
import { plural } from "../../core/base/plural.ts";
import { countsOf, countsText } from "../runs/call-counts-model.ts";

/** Several tests that one command runs, one after the other: what is said at the end is about all of them. */
export interface Batch {
  /** What the terminals of those before wrote: the next one shows it first. */
  readonly transcript: string[];
  readonly ended: EndedTest[];
  /** Shows the last one's terminal; undefined before the first. */
  show?: () => void;
  /** Writes below what it said. */
  write?: (text: string) => void;
}

export interface EndedTest {
  readonly title: string;
  readonly passed: boolean;
  readonly events: readonly CallEvent[];
}

export const createBatch = (): Batch => ({ transcript: [], ended: [] });

/** So many characters of output are kept: the last ones. */
const KEPT = 200_000;

/** Adds what was written; of very much the beginning is dropped. */
export function addToTranscript({ transcript }: Batch, text: string): void {
  transcript.push(text);
  let length = transcript.reduce((sum, one) => sum + one.length, 0);
  while (length > KEPT && transcript.length > 1) length -= transcript.shift()?.length ?? 0;
}

/** So many failed tests are named. */
const NAMED = 3;

/** "3 tests ran: 1 passed, 2 failed · 1 recorded, 2 missing. Failed: …". `wanted`: how many were asked for. */
export function batchText({ ended }: Pick<Batch, "ended">, wanted: number): string {
  const failed = ended.filter(({ passed }) => !passed).map(({ title }) => title);
  const passed = ended.length - failed.length;
  const left = wanted - ended.length;
  const outcomes = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(left > 0 ? [`${left} not run`] : []),
  ];
  const more = failed.length > NAMED ? `, and ${failed.length - NAMED} more` : "";
  const calls = countsText(countsOf(ended.flatMap(({ events }) => events)));
  const names = failed.length > 0 ? ` Failed: ${failed.slice(0, NAMED).join(", ")}${more}.` : "";
  return `${plural(wanted, "test")}: ${outcomes.join(", ")} · ${calls}.${names}`;
}

export function isAllWell({ ended }: Pick<Batch, "ended">, wanted: number): boolean {
  return ended.length === wanted && ended.every(({ passed }) => passed);
}

/** Runs tasks one after another. A task that is stopped while it waits never starts. */
export type RunQueue = ReturnType<typeof createRunQueue>;

export function createRunQueue() {
  let last: Promise<unknown> = Promise.resolve();
  let stopping = new AbortController();
  return {
    /** Resolves with the task's result; false if it was stopped before it began. */
    add(task: (stopped: AbortSignal) => Promise<boolean>) {
      const { signal } = stopping;
      const next = last.then(() => (signal.aborted ? false : task(signal)));
      last = next.catch(() => {});
      return next;
    },
    /** Stops the running task and all waiting ones. */
    stop() {
      stopping.abort();
      stopping = new AbortController();
    },
  };
}
