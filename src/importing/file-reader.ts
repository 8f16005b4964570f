import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Format } from "../core/formats/import/formats.ts";
import { readImportFile, type ReadFile } from "./read-file.ts";

/** Reads the files of an import, one at a time. */
export interface FileReader {
  /** @param path absolute */
  read(path: string, from: Format | undefined): Promise<ReadFile>;
  close(): Promise<void>;
}

/** The message to the worker thread. */
export interface ReadJob {
  readonly path: string;
  readonly from: Format | undefined;
}

export interface ReaderLimits {
  /** How long one file may take, in milliseconds. */
  readonly timeMs: (sizeBytes: number) => number;
  /** How much memory one file may take, in MiB. */
  readonly memoryMib: number;
}

const LIMITS: ReaderLimits = {
  timeMs: (sizeBytes) => 20_000 + (sizeBytes / 1_048_576) * 1_000,
  memoryMib: 4_096,
};

/**
 * Reads files in a thread, so that a file that is made to keep its reader busy ends neither the import nor the editor:
 * the thread is stopped, and the next file gets another one. Without the thread's program files are read here.
 */
export function createFileReader(program = readerProgram(), limits = LIMITS): FileReader {
  if (program === undefined) return { read: readImportFile, close: async () => {} };
  let worker: Worker | undefined;
  const begin = (): Worker =>
    // A thread that fails while it is being stopped is of no concern any more.
    new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib } }).on(
      "error",
      () => {},
    );
  return {
    async read(path, from) {
      const sizeBytes = await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
      worker ??= begin();
      const read = await readIn(worker, { path, from }, limits.timeMs(sizeBytes));
      if (typeof read !== "string") return read;
      await worker.terminate();
      worker = undefined;
      return { unreadable: read, isLimited: true };
    },
    async close() {
      await worker?.terminate();
      worker = undefined;
    },
  };
}

/** Returns the file that the thread read, or why it has to be stopped, as the end of a sentence about the file. */
function readIn(worker: Worker, job: ReadJob, timeMs: number): Promise<ReadFile | string> {
  return new Promise((resolve) => {
    const settle = (read: ReadFile | string): void => {
      clearTimeout(timer);
      worker.off("message", settle).off("error", onError).off("exit", onExit);
      resolve(read);
    };
    const onError = (error: Error): void => settle(`cannot be read: ${error.message}`);
    const onExit = (): void => settle("cannot be read: its reader ended");
    const timer = setTimeout(
      () => settle(`was not read within ${Math.round(timeMs / 1_000)} s: take out what is not needed of it`),
      timeMs,
    );
    worker.on("message", settle).on("error", onError).on("exit", onExit);
    worker.postMessage(job, []);
  });
}

/** The thread's program, which is in the folder of the bundles; undefined where the sources run. */
function readerProgram(): string | undefined {
  const places = ["./import-reader.js", "../import-reader.js"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place));
}
