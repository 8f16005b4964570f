import { cancelled } from "./errors.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** One line of a log. `step` is a system's heading of the line, e.g. "LLM | Token Usage". */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly step?: string;
}

/** Time, randomness, IDs, and logging of a client, passed as an argument so that a run can be repeated exactly. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. @throws ChatError "cancelled" as soon as the signal aborts */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number in [0, 1). */
  random(): number;
  /** Returns a new ID of 32 lowercase hexadecimal digits. */
  id(): string;
  log(entry: LogEntry): void;
}

/** Returns the real clock and random numbers, and a log that discards all lines. `given` overrides members. */
export function realSurroundings(given: Partial<Surroundings> = {}): Surroundings {
  return {
    now: () => Date.now(),
    sleep: realSleep,
    random: () => Math.random(),
    id: () => globalThis.crypto.randomUUID().replaceAll("-", ""),
    log: () => undefined,
    ...given,
  };
}

/** Deterministic surroundings. `sleep` advances the clock and returns immediately. */
export interface SeededSurroundings extends Surroundings {
  /** Milliseconds of each `sleep`, in order. */
  readonly slept: readonly number[];
  readonly logged: readonly LogEntry[];
}

/** Makes surroundings in which a seed determines numbers and IDs (mulberry32). The clock starts at `startMs`. */
export function seededSurroundings(seed: number, startMs = 0): SeededSurroundings {
  const random = seededRandom(seed);
  const slept: number[] = [];
  const logged: LogEntry[] = [];
  let clock = startMs;
  const hex = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return {
    slept,
    logged,
    now: () => clock,
    sleep: async (ms, signal) => {
      if (signal?.aborted === true) throw cancelled(signal.reason);
      slept.push(ms);
      clock += ms;
    },
    random,
    id: () => hex() + hex() + hex() + hex(),
    log: (entry) => void logged.push(entry),
  };
}

/** Makes a generator of numbers in [0, 1) that a seed determines. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(cancelled(signal.reason));
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(cancelled(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort);
  });
}
