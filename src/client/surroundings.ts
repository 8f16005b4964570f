import { cancelled } from "./errors.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** One line of a log. `step` is the heading under which a system files it, e.g. "LLM | Token Usage". */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly step?: string;
}

/** All that a client takes from the world besides its provider; given as an argument, so that a run can repeat bit by bit. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @throws ChatError "cancelled" as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to and without 1. */
  random(): number;
  /** A new id each time: 32 lower-case hex digits. */
  id(): string;
  log(entry: LogEntry): void;
}

/** The real clock and dice, and a log that nobody reads, over which `given` is laid. */
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

/** Surroundings in which nothing is left to chance and no time is lost: a sleep moves the clock on and returns. */
export interface SeededSurroundings extends Surroundings {
  /** How long was slept, in order, in milliseconds. */
  readonly slept: readonly number[];
  readonly logged: readonly LogEntry[];
}

/** The same seed gives the same numbers and ids (mulberry32); the clock begins at `startMs`. */
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

/** Numbers from 0 up to and without 1, the same for the same seed. */
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
