import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { jobs, type Jobs, type Setting } from "./jobs.ts";
import { sharedBytes } from "../../core/wire/growing-bytes.ts";
import { errorFrom, isPlain, type Asked, type Told } from "./messages.ts";

/** Does a job in a thread of its own, or here where there is none. */
export type DoAside = <Name extends keyof Jobs>(
  job: Name,
  setting: Setting,
  input: Parameters<Jobs[Name]>[1],
) => ReturnType<Jobs[Name]>;

/** So long the thread is kept when nothing is left to do: it holds memory. In milliseconds. */
const IDLE_MS = 10_000;

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Does the job here. */
  readonly instead: () => Promise<unknown>;
}

/** The program of the thread, which lies in the folder of the bundles or below it; undefined where this is none of them. */
export function asideProgram(): string | undefined {
  const places = ["./aside.js", "../aside.js", "../../aside.js"].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place));
}

/** One thread for all that is asked of it, begun with the first job. A thread that dies leaves its jobs to be done here. */
export function createThread(program: string): DoAside {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;
  const waiting = new Map<number, Waiting>();

  const settle = (id: number, how: (one: Waiting) => void): void => {
    const one = waiting.get(id);
    if (one === undefined) return;
    waiting.delete(id);
    how(one);
    if (waiting.size > 0) return;
    worker?.unref();
    idle = setTimeout(() => void end(), IDLE_MS).unref();
  };
  const end = (): Promise<number> | undefined => {
    const ending = worker;
    worker = undefined;
    return ending?.terminate();
  };
  const begin = (): Worker => {
    const begun = new Worker(program);
    // It ran out of memory, or could not begin.
    const onDeath = (): void => {
      if (worker !== begun) return;
      worker = undefined;
      for (const id of waiting.keys())
        settle(id, ({ resolve, reject, instead }) => void instead().then(resolve, reject));
    };
    begun.on("message", (told: Told) => settle(told.id, (one) => tell(one, told)));
    return begun.on("error", onDeath).on("exit", onDeath);
  };

  const send = async (asked: Asked, instead: () => Promise<unknown>): Promise<unknown> => {
    const input = await shareBytes(asked.input);
    return new Promise((resolve, reject) => {
      waiting.set(asked.id, { resolve, reject, instead });
      clearTimeout(idle);
      worker ??= begin();
      worker.ref();
      worker.postMessage({ ...asked, input }, []);
    });
  };
  return (job, setting, input) => {
    const work = jobs[job] as (setting: Setting, input: unknown) => Promise<unknown>;
    return send({ id: ++last, job, setting, input }, () => work(setting, input)) as ReturnType<
      Jobs[typeof job]
    >;
  };
}

function tell({ resolve, reject }: Waiting, told: Told): void {
  if ("error" in told) reject(errorFrom(told.error));
  else resolve(told.output);
}

/** So much is copied at once, in bytes: well below a millisecond's worth. */
const PIECE = 262_144;

/** What was copied into shared memory, for as long as whoever has the bytes keeps them: many jobs are about the same body. */
const copies = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/** The same with its bytes in memory that the thread sees, too. */
async function shareBytes(value: unknown): Promise<unknown> {
  if (value instanceof Uint8Array) {
    if (value.buffer instanceof SharedArrayBuffer) return value;
    const copy = copies.get(value) ?? copyToShared(value);
    copies.set(value, copy);
    return copy;
  }
  if (!isPlain(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) members[name] = await shareBytes(one);
  return members;
}

async function copyToShared(bytes: Uint8Array): Promise<Uint8Array> {
  const copy = sharedBytes(bytes.byteLength);
  for (let at = 0; at < copy.byteLength; at += PIECE) {
    if (at > 0) await setImmediate();
    copy.set(bytes.subarray(at, at + PIECE), at);
  }
  return copy;
}
