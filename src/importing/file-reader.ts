import { localize } from "../core/base/localize.ts";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Format } from "../core/formats/import/formats.ts";
import type { ImportedEntry } from "../core/formats/import/found.ts";
import { readImportFile, type ReadableFile, type UnreadableFile } from "./read-file.ts";

/** Reads the files of an import, one at a time. */
export interface FileReader {
  /** @param path absolute */
  read(path: string, from: Format | undefined): Promise<ReadableFile | UnreadableFile>;
  close(): Promise<void>;
}

/** Thrown when reading was stopped in the middle of a file. */
export class ReadingStopped extends Error {}

/** A message to the thread: the next file, or more calls of this one. */
export type ReaderRequest = { readonly path: string; readonly from: Format | undefined } | "more";

/** Messages of the thread: a file, then its calls. */
export type ReaderReply = UnreadableFile | Omit<ReadableFile, "found"> | FoundCalls;

interface FoundCalls {
  readonly found: readonly ImportedEntry[];
  readonly isLast: boolean;
}

export interface ReaderLimits {
  /** Maximum time for one file, in milliseconds. */
  readonly timeMs: (sizeBytes: number) => number;
  /** Maximum memory for one file, in MiB. */
  readonly memoryMib: number;
}

const LIMITS: ReaderLimits = {
  timeMs: (sizeBytes) => 20_000 + (sizeBytes / 1_048_576) * 1_000,
  memoryMib: 4_096,
};

/**
 * Reads files in a thread, so that a malicious or huge file blocks neither the import nor the editor: the thread is
 * terminated, and the next file gets a new one. Without the thread's program, files are read in this thread.
 */
export function createFileReader(program = readerProgram(), limits = LIMITS): FileReader {
  if (program === undefined) return { read: readImportFile, close: async () => {} };
  let worker: Worker | undefined;
  const begin = (): Worker =>
    // Ignores errors of a thread that is being terminated.
    new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib } }).on(
      "error",
      () => {},
    );
  /** Resolves to the answer, or to the reason why the thread was terminated. */
  const ask = async (request: ReaderRequest, time: TimeLeft): Promise<ReaderReply | string> => {
    worker ??= begin();
    const begun = performance.now();
    const reply = await askThread(worker, request, time);
    time.leftMs -= performance.now() - begun;
    if (typeof reply !== "string") return reply;
    await worker.terminate();
    worker = undefined;
    return reply;
  };
  async function* readCalls(time: TimeLeft): AsyncGenerator<ImportedEntry> {
    for (;;) {
      const reply = await ask("more", time);
      if (typeof reply === "string") throw new ReadingStopped(reply);
      if (!("found" in reply)) return;
      yield* reply.found;
      if (reply.isLast) return;
    }
  }
  return {
    async read(path, from) {
      const sizeBytes = await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
      const allMs = limits.timeMs(sizeBytes);
      const time = { allMs, leftMs: allMs };
      const reply = await ask({ path, from }, time);
      if (typeof reply === "string") return { unreadable: reply, isLimited: true };
      return "format" in reply ? { ...reply, found: readCalls(time) } : (reply as UnreadableFile);
    },
    async close() {
      await worker?.terminate();
      worker = undefined;
    },
  };
}

/** Time that the thread has left for a file, in milliseconds. */
interface TimeLeft {
  readonly allMs: number;
  leftMs: number;
}

/** Resolves to the thread's answer, or to the reason to terminate it, as the end of a sentence about the file. */
function askThread(worker: Worker, request: ReaderRequest, time: TimeLeft): Promise<ReaderReply | string> {
  return new Promise((resolve) => {
    const settle = (reply: ReaderReply | string): void => {
      clearTimeout(timer);
      worker.off("message", settle).off("error", onError).off("exit", onExit);
      resolve(reply);
    };
    const onError = (error: Error): void => settle(localize("cannot be read: {0}", error.message));
    const onExit = (): void => settle(localize("cannot be read: its reader ended"));
    const seconds = Math.round(time.allMs / 1_000);
    const timer = setTimeout(
      () => settle(localize("was not read within {0} s: remove calls that you do not need", seconds)),
      Math.max(0, time.leftMs),
    );
    worker.on("message", settle).on("error", onError).on("exit", onExit);
    worker.postMessage(request, []);
  });
}

/** Returns the thread's program in the folder of the bundles; undefined when running from source. */
function readerProgram(): string | undefined {
  const places = ["./import-reader.cjs", "../cli/import-reader.cjs"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place));
}
