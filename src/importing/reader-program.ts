import { parentPort } from "node:worker_threads";
import type { ReaderReply, ReaderRequest } from "./file-reader.ts";
import type { ImportedEntry } from "../core/formats/import/found.ts";
import { readImportFile } from "./read-file.ts";

/** Maximum number of calls per message, and the size of their bodies in bytes at which a message is sent. */
const MOST_CALLS = 64;
const MOST_BYTES = 1_048_576;

let calls: Iterator<ImportedEntry> = [][Symbol.iterator]();

/** Reads the files of an import in a thread, one after another, and their calls as they are asked for. */
parentPort?.on("message", (request: ReaderRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply, []));
});

async function answer(request: ReaderRequest): Promise<ReaderReply> {
  if (request === "more") return nextCalls();
  const read = await readImportFile(request.path, request.from);
  if ("unreadable" in read) return read;
  const { found, ...file } = read;
  calls = found[Symbol.iterator]();
  return file;
}

function nextCalls(): ReaderReply {
  const found: ImportedEntry[] = [];
  let sizeBytes = 0;
  while (found.length < MOST_CALLS && sizeBytes < MOST_BYTES) {
    const next = calls.next();
    if (next.done === true) return { found, isLast: true };
    found.push(next.value);
    if ("request" in next.value)
      sizeBytes += next.value.request.body.byteLength + next.value.reply.body.byteLength;
  }
  return { found, isLast: false };
}
