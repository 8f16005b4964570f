import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  readRunHead,
  readRunRecord,
  formatRunRecord,
  type RunHead,
} from "../../core/view/run-record/run-record-text.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";
import { processInPortions } from "../../core/base/portions.ts";
import { runStorageTask } from "../folder/failures.ts";
import { readText } from "../folder/read-file.ts";
import { discard, replaceWhole } from "../folder/durable-write.ts";
import { openLocalFolder, getLocalPath, mayReadLocal } from "../local/local-state.ts";
import { withoutSecretsIn } from "./without-secrets.ts";

/** The runs that a machine remembers of a cassette folder lie in `.local/runs`, a file each. */
const RUNS = "runs";

/** How much is remembered; the oldest runs go first. */
export interface RunLimits {
  readonly runs: number;
  /** Of all files together. */
  readonly bytes: number;
  /** Of one run. */
  readonly calls: number;
}

const LIMITS: RunLimits = { runs: 1_000, bytes: 32 * 1_048_576, calls: 5_000 };

/** A name for a run that no other one has, on this machine. Names sort by age. */
export function createRunId(startedAt: number): string {
  return `${String(Math.floor(startedAt)).padStart(13, "0")}-${randomBytes(4).toString("hex")}`;
}

/**
 * Writes a run over its earlier state. Writes nothing if there is no cassette folder, or no call.
 * @throws TapedeckError `tapedeck_cassette` if it cannot be written.
 */
export async function keepRun(
  dir: string,
  record: RunRecord,
  limits: Partial<RunLimits> = {},
): Promise<void> {
  if (record.calls.length === 0 || !existsSync(dir)) return;
  const most = { ...LIMITS, ...limits };
  const whole = record.calls.length > most.calls ? shortenRecord(record, most.calls) : record;
  await runStorageTask(dir, async () => {
    const folder = await openLocalFolder(dir, RUNS);
    await replaceWhole(fileIn(folder, record.id), formatRunRecord(await withoutSecretsIn(whole)));
    await dropOldest(folder, most);
  });
}

function shortenRecord({ calls, left = 0, ...rest }: RunRecord, most: number): RunRecord {
  return { ...rest, calls: calls.slice(0, most), left: left + calls.length - most };
}

/**
 * The runs that this machine remembers, newest first. What cannot be read is left out. Never throws. `known`: what was
 * read before, by id, and is not read again, because a run that is written stays as it is.
 */
export async function listRuns(dir: string, known = new Map<string, RunHead>()): Promise<readonly RunHead[]> {
  const heads: RunHead[] = [];
  for (const id of await idsIn(dir)) {
    const head = known.get(id) ?? readRunHead(await readRunText(dir, id));
    if (head?.id !== id) continue;
    known.set(id, head);
    heads.push(head);
  }
  return heads;
}

/** A run with its calls; undefined where it is not remembered. Never throws. */
export async function readRun(dir: string, id: string): Promise<RunRecord | undefined> {
  if (!RUN_ID.test(id)) return undefined;
  const record = readRunRecord(await readRunText(dir, id));
  return record?.id === id ? record : undefined;
}

/** The runs with their calls that began at or after `at`, in milliseconds since the epoch; newest first. Never throws. */
export async function readRunsSince(dir: string, at: number): Promise<readonly RunRecord[]> {
  const ids = (await idsIn(dir)).filter((id) => Number.parseInt(id, 10) >= at);
  return (await processInPortions(ids, (id) => readRun(dir, id))).filter((run) => run !== undefined);
}

const RUN_ID = /^\d{13,}-[0-9a-f]{8}$/;
const ENDING = ".jsonl";

function fileIn(folder: string, id: string): string {
  if (!RUN_ID.test(id)) throw new Error(`"${id}" is not the name of a run`);
  return join(folder, `${id}${ENDING}`);
}

/** Newest first. */
async function idsIn(dir: string): Promise<readonly string[]> {
  if (!mayReadLocal(dir)) return [];
  const names = await readdir(join(dir, getLocalPath(RUNS))).catch(() => []);
  const ids = names.flatMap((name) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []));
  return ids
    .filter((id) => RUN_ID.test(id))
    .sort()
    .reverse();
}

async function readRunText(dir: string, id: string): Promise<string> {
  if (!mayReadLocal(dir)) return "";
  return readText(fileIn(join(dir, getLocalPath(RUNS)), id)).catch(() => "");
}

async function dropOldest(folder: string, limits: RunLimits): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
  let bytes = 0;
  for (const [index, name] of names.sort().reverse().entries()) {
    const path = join(folder, name);
    bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
    // The newest one stays, however large it is.
    if (index > 0 && (index >= limits.runs || bytes > limits.bytes)) await discard(path);
  }
}
