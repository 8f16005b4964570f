import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { TestRef } from "../core/call.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import type { ImportFile } from "./find-files.ts";
import { createKeeper, type Keeper } from "./keep.ts";
import type { FileReport } from "./report.ts";
import { isExchange, type FoundExchange } from "../core/formats/import/found.ts";
import type { Format } from "../core/formats/import/formats.ts";
import { headerValue } from "../core/formats/import/headers.ts";
import { toRecording, type Imported } from "../core/formats/import/to-recording.ts";
import { loadScanner } from "../core/secrets/load-scanner.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import type { Project } from "../storage/local/project-file.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import { decodedBody } from "./decode-body.ts";
import { readImportFile } from "./read-file.ts";

export interface FilesImport extends Omit<FileImport, "keeper"> {
  readonly store: CassetteStore;
  /** Told of each file before it is read, and how many came before it. */
  readonly onFile?: (file: ImportFile, done: number) => void;
  /** Stops between two files; what was imported stays. */
  readonly signal?: AbortSignal;
}

/**
 * Imports files, one after the other. In a folder there are other files too: of its files only those are reported that
 * hold recordings. @throws as `importFile`
 */
export async function importFiles(
  files: readonly ImportFile[],
  { store, onFile, signal, ...importing }: FilesImport,
): Promise<readonly FileReport[]> {
  const keeper = createKeeper(store);
  const reports: FileReport[] = [];
  for (const [done, file] of files.entries()) {
    if (signal?.aborted === true) break;
    onFile?.(file, done);
    const report = await importFile(file, { ...importing, keeper });
    if (file.isNamed || report.unreadable === undefined) reports.push(report);
  }
  await keeper.finish();
  return reports;
}

export interface FileImport {
  /** Undefined where the file tells. */
  readonly from: Format | undefined;
  readonly providers: ProviderTable;
  readonly project: Project;
  /** The project, to which the names of cassettes are relative. */
  readonly root: string;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly keeper: Keeper;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Imports a file, call by call. @throws TapedeckError `tapedeck_cassette` where the disk refuses. */
export async function importFile(file: ImportFile, importing: FileImport): Promise<FileReport> {
  const read = await readImportFile(file, importing.from);
  const nothing = { file: file.shown, imported: [], present: [], skipped: [] };
  if ("unreadable" in read) return { ...nothing, format: null, unreadable: read.unreadable };
  const { keeper } = importing;
  const [imported, present, skipped] = [[], [], []] as [
    FileReport["imported"][number][],
    FileReport["present"][number][],
    FileReport["skipped"][number][],
  ];
  const cassette = cassetteName(file.path, importing.root);
  const test = testOfCassette(cassette, importing.root);
  keeper.begin(cassette);
  for (const found of read.found) {
    const { place } = found;
    const one = isExchange(found) ? await recordingOf(found, importing, read.changedAt) : found;
    if ("skipped" in one) {
      skipped.push({ place, reason: one.skipped, refused: "isRefused" in one });
      continue;
    }
    const { entry, isNew } = await keeper.keep({
      ...one.recording,
      ...(test && { test }),
      cassettes: ("cassettes" in found ? found.cassettes : undefined) ?? [cassette],
    });
    (isNew ? imported : present).push({ place, entry });
  }
  return { file: file.shown, format: read.format, imported, present, skipped };
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
  return { file, name: test.replace(/\[.*$/, "").split("."), runner: "pytest" };
}

const PYTEST_CASSETTE = /^((?:.*\/)?)cassettes\/([^/]+)\/([^/]+)\.(?:yaml|json)$/;

async function recordingOf(
  found: FoundExchange,
  { providers, project, upstreams, now }: FileImport,
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
    scan: project.scan ?? (await loadScanner(project.allowsSecret)),
    providers,
    sha256,
    normalise: project.normaliser,
    upstreams,
    recordedAt: dateOf(found, Math.min(changedAt, now)),
  });
}

/** When the call was made: by its file, by the provider's own clock, or not after the file was written. */
function dateOf({ recordedAt, reply }: FoundExchange, otherwise: number): string {
  const said = [recordedAt, headerValue(reply.headers, "date")].map((text) => Date.parse(text ?? ""));
  return new Date(said.find((time) => !Number.isNaN(time)) ?? otherwise).toISOString();
}
