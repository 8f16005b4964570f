import { parentPort, workerData } from "node:worker_threads";
import { blobsNamedIn } from "../storage/team/put-recording.ts";
import { addressIn } from "./names.ts";
import { decodeReceived, openSealed, type Origin } from "./open-sealed.ts";
import type { OpenedAside, ToOpen } from "./opening-thread.ts";

/** The thread's program: opens what it is sent, one batch after another. */
parentPort?.on("message", ({ objects, ends, bytes }: ToOpen) => {
  const opened = objects.map((object, at) => open(object, bytes.subarray(ends[at - 1] ?? 0, ends[at])));
  parentPort?.postMessage(opened, []);
});

const origin = workerData as Origin;
const NO_BLOBS = new Map<string, Uint8Array>();

function open(object: string, sealed: Uint8Array): OpenedAside | undefined {
  try {
    const opened = openSealed(object, sealed, origin);
    if ("refused" in opened) return opened;
    const { bytes } = opened;
    const address = addressIn(object.slice(0, object.indexOf("/")), object);
    if (address === undefined || blobsNamedIn(bytes).length > 0) return undefined;
    const recording = decodeReceived(address, bytes, NO_BLOBS, origin);
    if ("refused" in recording) return recording;
    const { exactKey } = recording;
    const named = exactKey === undefined ? {} : { exactKey };
    if (bytes.buffer !== sealed.buffer) return { ...named, bytes: Uint8Array.from(bytes) };
    return { ...named, start: bytes.byteOffset - sealed.byteOffset };
  } catch {
    // Whoever sent it does it again, and fails where it can be told.
    return undefined;
  }
}
