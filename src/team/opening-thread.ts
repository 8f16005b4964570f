import { existsSync } from "node:fs";
import { nextTick } from "node:process";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Key } from "../core/call.ts";
import type { Origin, Refused } from "./open-sealed.ts";

/** Opens objects in a thread of its own, while this one asks for others and writes what came. */
export interface OpeningThread {
  /** Undefined where it is to be opened here: it names large bodies, or the thread died. */
  open(object: string, sealed: Uint8Array): Promise<OpenedAside | undefined>;
  close(): Promise<void>;
}

/** What a recording is found to be: where its file begins in the object, or its bytes where they were encrypted. */
export type OpenedAside =
  | Refused
  | { readonly exactKey?: Key; readonly start: number }
  | { readonly exactKey?: Key; readonly bytes: Uint8Array };

/** Objects by name, their bytes one after another. */
export interface ToOpen {
  readonly objects: readonly string[];
  /** Where each ends. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array;
}

interface Asked {
  readonly object: string;
  readonly sealed: Uint8Array;
  readonly resolve: (opened: OpenedAside | undefined) => void;
}

/** So many go as one message: while one is answered, the thread has the next. */
const TOGETHER = 16;

/** The program of the thread, which lies beside the bundles; undefined where this is none of them. */
export function openingProgram(): string | undefined {
  const places = ["./team-opening.cjs", "../team-opening.cjs"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place));
}

export function startOpening(program: string, origin: Origin): OpeningThread {
  const worker = new Worker(program, { workerData: origin });
  let isDead = false;
  const next: Asked[] = [];
  /** Batches are answered in their order. */
  const sent: (readonly Asked[])[] = [];
  const die = (): void => {
    isDead = true;
    for (const { resolve } of [...sent.splice(0).flat(), ...next.splice(0)]) resolve(undefined);
  };
  worker.on("error", die).on("exit", die);
  worker.on("message", (opened: readonly (OpenedAside | undefined)[]) => {
    for (const [at, { resolve }] of (sent.shift() ?? []).entries()) resolve(opened[at]);
  });
  const send = (): void => {
    while (next.length > 0) {
      const batch = next.splice(0, TOGETHER);
      sent.push(batch);
      const asked = packed(batch);
      worker.postMessage(asked, [asked.bytes.buffer]);
    }
  };
  return {
    open: (object, sealed) =>
      new Promise((resolve) => {
        if (isDead) return resolve(undefined);
        if (next.length === 0) nextTick(send);
        next.push({ object, sealed, resolve });
      }),
    async close() {
      await worker.terminate();
    },
  };
}

/** In memory of its own, which can be handed over. */
function packed(batch: readonly Asked[]): ToOpen & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const ends: number[] = [];
  let length = 0;
  for (const { sealed } of batch) ends.push((length += sealed.byteLength));
  const bytes = new Uint8Array(length);
  for (const [at, { sealed }] of batch.entries()) bytes.set(sealed, ends[at - 1] ?? 0);
  return { objects: batch.map(({ object }) => object), ends, bytes };
}
