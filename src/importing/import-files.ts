import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { TestRef } from "../core/call/call.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import type { ImportFile } from "./find-files.ts";
import { createKeeper, type Keeper } from "./keep.ts";
import type { FileReport } from "./report.ts";
import {
  isExchange,
  type FoundExchange,
  findHeader,
  type ImportedEntry,
} from "../core/formats/import/found.ts";
import type { Format } from "../core/formats/import/formats.ts";
import { convertToRecording, type ImportedCall } from "../core/answer/to-recording.ts";
import type { Scan } from "../core/secrets/scanner.ts";
import { createOwnScanner } from "../storage/local/own-scanner.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import type { Project } from "../storage/local/project-file.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import { readImportedBody } from "./decode-body.ts";
import { readImportFile } from "./read-file.ts";

export interface FilesImport extends Omit<FileImport, "keeper" | "underWay"> {
  readonly store: CassetteStore;
  /** Called before each file is read, with the number of files before it. */
  readonly onFile?: (file: ImportFile, done: number) => void;
  /** Stops between two files; imported recordings are kept. */
  readonly signal?: AbortSignal;
}

/** Number of recordings that are written concurrently, so that they share their syncs to disk. More take more memory. */
const AT_ONCE = 32;

/**
 * Imports files one after another and writes several recordings concurrently. Of the files in a folder, only those with
 * recordings are reported, also if they are damaged.
 * @throws like `importFile`
 */
export async function importFiles(
  files: readonly ImportFile[],
  { store, onFile, signal, ...importing }: FilesImport,
): Promise<readonly FileReport[]> {
  const keeper = createKeeper(store);
  const underWay = createUnderWay(AT_ONCE);
  const reports: (() => FileReport)[] = [];
  for (const [done, file] of files.entries()) {
    if (signal?.aborted === true) break;
    onFile?.(file, done);
    const report = await importFile(file, { ...importing, keeper, underWay });
    const { unreadable, isDamaged } = report();
    if (file.isNamed || unreadable === undefined || isDamaged === true) reports.push(report);
  }
  await underWay.settled();
  await keeper.finish();
  return reports.map((report) => report());
}

export interface FileImport {
  /** Undefined to detect the format. */
  readonly from: Format | undefined;
  readonly providers: ProviderTable;
  readonly project: Project;
  /** Root of the project, to which names of cassettes are relative. */
  readonly root: string;
  readonly upstreams: Readonly<Record<string, string>>;
  /** Whether replies with a status of 400 or above are imported. */
  readonly recordsErrors: boolean;
  readonly keeper: Keeper;
  readonly underWay: ReturnType<typeof createUnderWay>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Imports a file, call by call. Ask for the report when no call of it is under way any more.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function importFile(file: ImportFile, importing: FileImport): Promise<() => FileReport> {
  const read = await readImportFile(file.path, importing.from);
  const nothing = { file: file.shown, imported: [], present: [], skipped: [] };
  if ("unreadable" in read) return () => ({ ...nothing, format: null, ...read });
  const { keeper, underWay } = importing;
  const kept: { readonly place: string; readonly entry: string; readonly isNew: boolean }[] = [];
  const skipped: FileReport["skipped"][number][] = [];
  let nth = 0;
  const cassette = cassetteName(file.path, importing.root);
  const test = testOfCassette(cassette, importing.root);
  keeper.begin(cassette);
  // Finding the secrets of the environment takes longer than searching a call for them.
  const scan = importing.project.scan ?? (await createOwnScanner(importing.project.allowsSecret));
  const keep = async (found: ImportedEntry): Promise<void> => {
    const { place } = found;
    const one = isExchange(found)
      ? await recordingOf(found, importing, { changedAt: read.changedAt, scan, folder: dirname(file.path) })
      : found;
    if ("skipped" in one) {
      skipped.push({ place, reason: one.skipped, refused: "isRefused" in one });
      return;
    }
    const cassettes = ("cassettes" in found ? found.cassettes : undefined) ?? [cassette];
    const recording = { ...one.recording, ...(test && { test }), cassettes };
    const at = nth++;
    await underWay.begin(async () => {
      kept[at] = { place, ...(await keeper.keep(recording)) };
    });
  };
  for (const one of read.found) await keep(one);
  const placesOf = (isNew: boolean): FileReport["imported"] =>
    kept.filter((one) => one.isNew === isNew).map(({ place, entry }) => ({ place, entry }));
  const { format } = read;
  return () => ({
    file: file.shown,
    format,
    imported: placesOf(true),
    present: placesOf(false),
    skipped,
  });
}

/** Returns a file's path in the project, or for a file outside of it, the part that does not depend on the machine. */
function cassetteName(path: string, root: string): string {
  return relative(root, path)
    .replaceAll(sep, "/")
    .replace(/^(?:\.\.\/)+/, "");
}

/** Finds the test of a cassette of pytest-recording: `cassettes/MODULE/TEST.yaml`, if the test's file exists. */
function testOfCassette(cassette: string, root: string): TestRef | undefined {
  const [, folder = "", module = "", test = ""] = PYTEST_CASSETTE.exec(cassette) ?? [];
  const file = `${folder}${module}.py`;
  if (module === "" || !existsSync(join(root, file))) return undefined;
  const [, titles = "", parameters = ""] = /^([^[]*)(.*)$/s.exec(test) ?? [];
  const name = titles.split(".");
  return { file, name: [...name.slice(0, -1), `${name.at(-1) ?? ""}${parameters}`], runner: "pytest" };
}

const PYTEST_CASSETTE = /^((?:.*\/)?)cassettes\/([^/]+)\/([^/]+)\.(?:yaml|json)$/;

async function recordingOf(
  found: FoundExchange,
  { providers, project, upstreams, recordsErrors, now }: FileImport,
  { changedAt, scan, folder }: { readonly changedAt: number; readonly scan: Scan; readonly folder: string },
): Promise<ImportedCall> {
  const requestBody = await readImportedBody(found.request, folder);
  const replyBody = await readImportedBody(found.reply, folder);
  if ("skipped" in requestBody) return requestBody;
  if ("skipped" in replyBody) return replyBody;
  const decoded: FoundExchange = {
    ...found,
    request: { ...found.request, body: requestBody },
    reply: { ...found.reply, body: replyBody },
  };
  return convertToRecording(decoded, {
    redacts: project.config.secrets === "redact",
    named: (provider) => project.config.credentials?.get(provider),
    scan,
    providers,
    sha256: computeSha256,
    normalize: project.normalizer,
    upstreams,
    recordsErrors,
    recordedAt: dateOf(decoded, { changedAt, now }),
  });
}

/**
 * Returns the time of the call: from the file, from the provider's clock, or the file's modification time, which is
 * inaccurate because a checkout rewrites all files.
 */
function dateOf(
  { recordedAt, reply }: FoundExchange,
  { changedAt, now }: { readonly changedAt: number; readonly now: number },
): string {
  const written = [recordedAt, findHeader(reply.headers, "date")].map((text) => Date.parse(text ?? ""));
  const known = [...written, createdAt(reply.body)].find(
    (time) => !Number.isNaN(time) && time <= now + DAY_MS,
  );
  return new Date(known ?? Math.min(changedAt, now)).toISOString();
}

const DAY_MS = 86_400_000;

/** Reads the time in the reply: OpenAI's `created` in seconds, `created_at`, or Gemini's `createTime`; otherwise NaN. */
function createdAt(body: Uint8Array): number {
  const beginning = new TextDecoder().decode(body.subarray(0, 16_384));
  const [, seconds, text] = CREATED.exec(beginning) ?? [];
  return seconds === undefined ? Date.parse(text ?? "") : Number(seconds) * 1_000;
}

const CREATED = /"(?:created|created_at|createTime)"\s*:\s*(?:(1\d{9})\b|"(20\d\d-[^"]{6,30})")/u;

/** Tasks with limited concurrency. */
export function createUnderWay(most: number) {
  const works = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failed ??= { error };
  };
  const throwFailed = async (): Promise<void> => {
    if (failed === undefined) return;
    await Promise.all(works);
    throw failed.error;
  };
  return {
    /** Starts a task as soon as there is room for it. @throws the error of an earlier task */
    async begin(work: () => Promise<void>): Promise<void> {
      while (works.size >= most) await Promise.race(works);
      await throwFailed();
      const one = work()
        .catch(fail)
        .finally(() => works.delete(one));
      works.add(one);
    },
    /** Resolves when all tasks are done. @throws the error of the first task that failed */
    async settled(): Promise<void> {
      await Promise.all(works);
      await throwFailed();
    },
  };
}
