import type { CallEvent } from "../../core/call/call.ts";
import {
  sortRunRecord,
  createRunCall,
  isCallOf,
  type RunCall,
  type RunRecord,
  type RunTest,
} from "../../core/view/run-record/run-record.ts";
import { pickRunHead, type RunHead } from "../../core/view/run-record/run-record-text.ts";

/** The stored runs of a folder, and the runs in progress. */
export type RunLog = Pick<OpenRunLog, "list" | "read" | "listActive">;

/** A run log that accepts new calls. */
export type OpenRunLog = ReturnType<typeof createRunLog>;

interface RunLogOptions {
  readonly newId: (startedAt: number) => string;
  /** Adds the facts of their recordings to the calls of a run that is shown. */
  readonly complete: (calls: readonly RunCall[]) => Promise<readonly RunCall[]>;
  readonly keep: (record: RunRecord) => Promise<void>;
  readonly kept: { list(): Promise<readonly RunHead[]>; read(id: string): Promise<RunRecord | undefined> };
  /** Called when a run could not be written. */
  readonly failed: (error: unknown) => void;
}

/** Maximum calls of a run in progress that stay in memory. */
const MOST_CALLS = 5_000;

type RunDraft = Omit<RunRecord, "calls"> & {
  readonly calls: RunCall[];
  left?: number;
};

export function createRunLog({ newId, complete, keep, kept, failed }: RunLogOptions) {
  const open = new Map<string, RunDraft>();
  /** Runs that ended and are not written yet. */
  const ending = new Map<string, RunDraft>();
  let writing = Promise.resolve();

  const end = (run: string, passed?: boolean): void => {
    const record = open.get(run);
    if (record === undefined) return;
    open.delete(run);
    const write = (): Promise<void> =>
      keep(sortRunRecord({ ...record, ...(passed !== undefined && { passed }) }));
    ending.set(record.id, record);
    writing = writing
      .then(write)
      .catch(failed)
      .finally(() => ending.delete(record.id));
  };
  const soFar = async (record: RunDraft): Promise<RunRecord> => {
    // Completed calls are not read again, although a shown run requests them often.
    const calls = await complete([...record.calls]);
    record.calls.splice(0, calls.length, ...calls);
    return sortRunRecord(record);
  };
  const unwritten = (): readonly RunDraft[] => [...ending.values(), ...open.values()];
  return {
    /** Newest first: runs in progress, then the stored runs of all windows and command lines of this machine. */
    async list() {
      const mine = unwritten().map(pickRunHead).reverse();
      const ids = new Set(mine.map(({ id }) => id));
      return [...mine, ...(await kept.list()).filter(({ id }) => !ids.has(id))];
    },
    /** Undefined if it is no longer stored. */
    async read(id: string) {
      const mine = unwritten().find((one) => one.id === id);
      return mine === undefined ? kept.read(id) : soFar(mine);
    },
    /** Returns the runs in progress with their calls so far. */
    listActive: () => Promise.all([...open.values()].map(soFar)),
    /** `run`: the run of the tests to which the call belongs. */
    addCall(event: CallEvent, run: string) {
      const { at: startedAt, mode } = event;
      const record = open.get(run) ?? { id: newId(startedAt), startedAt, mode, source: "editor", calls: [] };
      open.set(run, record);
      if (record.calls.length < MOST_CALLS) record.calls.push(createRunCall(event, record.startedAt));
      else record.left = (record.left ?? 0) + 1;
    },
    endRun: end,
    /** Ends the runs in progress. Resolves when all runs are written. */
    async close() {
      for (const run of open.keys()) end(run);
      await writing;
    },
  };
}

/** Maximum runs that are searched for calls of a test. */
const SEARCHED = 100;

/** Returns the newest run that contains the test, suite, or file; if there is none, the newest run. */
export async function findRun(
  test: RunTest | undefined,
  runLog: Pick<RunLog, "list" | "read">,
): Promise<RunRecord | undefined> {
  const heads = await runLog.list();
  const [newest] = heads;
  if (newest === undefined) return undefined;
  for (const { id } of test === undefined ? [] : heads.slice(0, SEARCHED)) {
    const record = await runLog.read(id);
    if (test && record?.calls.some((call) => isCallOf(call, test))) return record;
  }
  return runLog.read(newest.id);
}
