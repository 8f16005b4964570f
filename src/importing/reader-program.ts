import { parentPort } from "node:worker_threads";
import type { ReadJob } from "./file-reader.ts";
import { readImportFile } from "./read-file.ts";

/** The program of the thread that reads files of an import, one after the other. */
parentPort?.on("message", ({ path, from }: ReadJob) => {
  void readImportFile(path, from).then((read) => parentPort?.postMessage(read, []));
});
