import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { TestRef } from "../core/call/call.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import type { ImportFile } from "./find-files.ts";
import { createKeeper, type Keeper } from "./keep.ts";
import type { FileReport } from "./report.ts";
import {
  isExchange,
  type FoundExchange,
  headerValue,
  type ImportedEntry,
} from "../core/formats/import/found.ts";
import type { Format } from "../core/formats/import/formats.ts";
import { toRecording, type Imported } from "../core/answer/to-recording.ts";
import { ownScanner } from "../storage/local/own-scanner.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import type { Project } from "../storage/local/project-file.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import { decodedBody } from "./decode-body.ts";
import { createFileReader, ReadingStopped, type FileReader } from "./file-reader.ts";
import type { ReadableFile, UnreadableFile } from "./read-file.ts";

export interface FilesImport extends Omit<FileImport, "reader" | "keeper" | "underWay"> {
  readonly store: CassetteStore;
  /** Told of each file before it is read, and how many came before it. */
  readonly onFile?: (file: ImportFile, done: number) => void;
  /** Stops between two files; what was imported stays. */
  readonly signal?: AbortSignal;
}

/** So many recordings are written at once: they share their syncs to disk. */
const AT_ONCE = 64;

/**
 * Reads files one after the other and writes what they hold, several recordings at once. In a folder there are other files too: of its files only those are reported that
 * hold recordings. @throws as `importFile`
 */
export async function importFiles(
  files: readonly ImportFile[],
  { store, onFile, signal, ...importing }: FilesImport,
): Promise<readonly FileReport[]> {
  const keeper = createKeeper(store);
  const underWay = createUnderWay(AT_ONCE);
  const reader = createFileReader();
  const reports: (() => FileReport)[] = [];
  try {
    for (const [done, file] of files.entries()) {
      if (signal?.aborted === true) break;
      onFile?.(file, done);
      const report = await importFile(file, { ...importing, reader, keeper, underWay });
      if (file.isNamed || report().unreadable === undefined || report().isLimited === true)
        reports.push(report);
    }
  } finally {
    await reader.close();
  }
  await underWay.settled();
  await keeper.finish();
  return reports.map((report) => report());
}

export interface FileImport {
  /** Undefined where the file tells. */
  readonly from: Format | undefined;
  readonly providers: ProviderTable;
  readonly project: Project;
  /** The project, to which the names of cassettes are relative. */
  readonly root: string;
  readonly upstreams: Readonly<Record<string, string>>;
  /** Whether answers with status 400 and above are taken, too. */
  readonly recordsErrors: boolean;
  readonly reader: FileReader;
  readonly keeper: Keeper;
  /** What is being written. */
  readonly underWay: UnderWay;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Imports a file, call by call. The report is to be asked for when nothing of it is under way any more.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function importFile(file: ImportFile, importing: FileImport): Promise<() => FileReport> {
  const read = await importing.reader.read(file.path, importing.from);
  const nothing = { file: file.shown, imported: [], present: [], skipped: [] };
  if ("unreadable" in read) return () => ({ ...nothing, format: null, ...read });
  const { keeper, underWay } = importing;
  const kept: { readonly place: string; readonly entry: string; readonly isNew: boolean }[] = [];
  const skipped: FileReport["skipped"][number][] = [];
  let nth = 0;
  const cassette = cassetteName(file.path, importing.root);
  const test = testOfCassette(cassette, importing.root);
  keeper.begin(cassette);
  const keep = async (found: ImportedEntry): Promise<void> => {
    const { place } = found;
    const one = isExchange(found) ? await recordingOf(found, importing, read.changedAt) : found;
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
  const stopped = await forEachFound(read, keep);
  const placesOf = (isNew: boolean): FileReport["imported"] =>
    kept.filter((one) => one.isNew === isNew).map(({ place, entry }) => ({ place, entry }));
  const { format } = read;
  return () => ({
    file: file.shown,
    format,
    ...stopped,
    imported: placesOf(true),
    present: placesOf(false),
    skipped,
  });
}

/** Resolves to why reading was stopped, if it was. The calls before that are imported. */
async function forEachFound(
  { found }: ReadableFile,
  keep: (one: ImportedEntry) => Promise<void>,
): Promise<UnreadableFile | undefined> {
  try {
    for await (const one of found) await keep(one);
    return undefined;
  } catch (error) {
    if (error instanceof ReadingStopped) return { unreadable: error.message, isLimited: true };
    throw error;
  }
}

/** A file's path in the project; of one outside of it what no other machine has is left out. */
function cassetteName(path: string, root: string): string {
  return relative(root, path)
    .replaceAll(sep, "/")
    .replace(/^(?:\.\.\/)+/, "");
}

/** As pytest-recording lays its cassettes out, where the test's file is there too: `cassettes/MODULE/TEST.yaml`. */
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
  changedAt: number,
): Promise<Imported> {
  const [asked, answered] = [await decodedBody(found.request), await decodedBody(found.reply)];
  if ("skipped" in asked) return asked;
  if ("skipped" in answered) return answered;
  const decoded: FoundExchange = {
    ...found,
    request: { ...found.request, body: asked },
    reply: { ...found.reply, body: answered },
  };
  return toRecording(decoded, {
    redacts: project.config.secrets === "redact",
    named: (provider) => project.config.credentials?.get(provider),
    scan: project.scan ?? (await ownScanner(project.allowsSecret)),
    providers,
    sha256,
    normalise: project.normaliser,
    upstreams,
    recordsErrors,
    recordedAt: dateOf(decoded, { changedAt, now }),
  });
}

/**
 * When the call was made: by its file, by the provider's own clock, or not after the file was written. A checkout
 * writes all files anew, so that the last says little.
 */
function dateOf(
  { recordedAt, reply }: FoundExchange,
  { changedAt, now }: { readonly changedAt: number; readonly now: number },
): string {
  const said = [recordedAt, headerValue(reply.headers, "date")].map((text) => Date.parse(text ?? ""));
  const known = [...said, createdAt(reply.body)].find((time) => !Number.isNaN(time) && time <= now + DAY_MS);
  return new Date(known ?? Math.min(changedAt, now)).toISOString();
}

const DAY_MS = 86_400_000;

/** What the reply says of itself: OpenAI's `created` in seconds, `created_at`, Gemini's `createTime`; else NaN. */
function createdAt(body: Uint8Array): number {
  const beginning = new TextDecoder().decode(body.subarray(0, 16_384));
  const [, seconds, text] = CREATED.exec(beginning) ?? [];
  return seconds === undefined ? Date.parse(text ?? "") : Number(seconds) * 1_000;
}

const CREATED = /"(?:created|created_at|createTime)"\s*:\s*(?:(1\d{9})\b|"(20\d\d-[^"]{6,30})")/u;

/** Works of which at most so many are under way at once. */
export interface UnderWay {
  /**
   * Begins a work as soon as there is room for it.
   * @throws what an earlier work failed with
   */
  begin(work: () => Promise<void>): Promise<void>;
  /** Resolves when all are done. @throws what the first that failed did */
  settled(): Promise<void>;
}

export function createUnderWay(most: number): UnderWay {
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
    async begin(work) {
      while (works.size >= most) await Promise.race(works);
      await throwFailed();
      const one = work()
        .catch(fail)
        .finally(() => works.delete(one));
      works.add(one);
    },
    async settled() {
      await Promise.all(works);
      await throwFailed();
    },
  };
}
