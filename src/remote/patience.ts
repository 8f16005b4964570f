import { setMaxListeners } from "node:events";
import { tooSlow } from "./failures.ts";

/** What a piece of work is given: it ends when the signal is aborted, and each sign of life gives it its time anew. */
export interface Waiting {
  readonly signal: AbortSignal;
  alive(): void;
}

/** How long a remote is waited for: at first some seconds, then a multiple of what it took lately. */
export interface Patience {
  /**
   * The work's own result. Rejects with a TapedeckError `tapedeck_remote` ("slow") where there was no sign of life in
   * time, and with the reason of `signal` once that is aborted. What the work does after that is nobody's concern.
   */
  wait<T>(work: (waiting: Waiting) => Promise<T>, limits: WaitLimits): Promise<T>;
}

interface WaitLimits {
  readonly signal: AbortSignal;
  /** Of what is sent to be kept: in one piece, so that it takes longer by its size. */
  readonly sizeBytes?: number | undefined;
}

export interface PatienceLimits {
  /** Before anything was seen of the remote. */
  readonly firstMs: number;
  /** However quick it was lately. */
  readonly leastMs: number;
  /** However quick, for what is sent to be kept: many at once wait for one disk. As `leastMs` where it is not said. */
  readonly keepMs?: number;
  /** However slow. */
  readonly mostMs: number;
}

const LIMITS: PatienceLimits = { firstMs: 3_000, leastMs: 2_000, keepMs: 3_000, mostMs: 10_000 };
/** What was seen lately, and how many times the longest of it is waited for. */
const REMEMBERED = 32;
const TIMES = 4;
/** The slowest line on which a large object is still worth sending. */
const BYTES_PER_MS = 256;
/** So long counts at most between two looks: this process itself was busy, or kept waiting by others, for the rest. */
const LOOK_MS = 100;

export function createPatience(name: string, limits: PatienceLimits = LIMITS): Patience {
  const seen: number[] = [];
  const note = (tookMs: number): void => {
    seen.push(tookMs);
    if (seen.length > REMEMBERED) seen.shift();
  };
  const limitMs = (sizeBytes: number | undefined): number => {
    if (seen.length === 0) return limits.firstMs;
    const leastMs = sizeBytes === undefined ? limits.leastMs : (limits.keepMs ?? limits.leastMs);
    return Math.min(limits.mostMs, Math.max(leastMs, TIMES * Math.max(...seen)));
  };

  return {
    async wait(work, { signal, sizeBytes }) {
      signal.throwIfAborted();
      const sendingMs = (sizeBytes ?? 0) / BYTES_PER_MS;
      const waitMs = limitMs(sizeBytes) + sendingMs;
      const began = performance.now();
      const turn = beginTurn(signal, waitMs, () => tooSlow(name, waitMs));
      try {
        const result = await Promise.race([work(turn), turn.ended]);
        note(turn.longestMs() - sendingMs);
        return result;
      } catch (error) {
        // A server that got slower is given more time the next time.
        if (performance.now() - began >= waitMs) note(waitMs);
        throw error;
      } finally {
        turn.end();
      }
    },
  };
}

interface Turn extends Waiting {
  /** Never resolves. */
  readonly ended: Promise<never>;
  /** The longest time between two signs of life. */
  longestMs(): number;
  end(): void;
}

function beginTurn(outer: AbortSignal, waitMs: number, late: () => Error): Turn {
  const controller = new AbortController();
  const { signal } = controller;
  let aliveAt = performance.now();
  let longestMs = 0;
  let [lookedAt, leftMs] = [aliveAt, waitMs];
  const note = (): void => {
    longestMs = Math.max(longestMs, performance.now() - aliveAt);
    lookedAt = aliveAt = performance.now();
    leftMs = waitMs;
  };
  // This process may have been busy itself: what came meanwhile is looked at first.
  const look = (): void => void setImmediate(check);
  let isOver = false;
  const check = (): void => {
    if (isOver) return;
    const now = performance.now();
    leftMs -= Math.min(now - lookedAt, LOOK_MS);
    lookedAt = now;
    if (leftMs <= 0) controller.abort(late());
    else lookLater();
  };
  const lookLater = (): void => void (timer = setTimeout(look, Math.min(leftMs, LOOK_MS)));
  let timer: NodeJS.Timeout | undefined;
  lookLater();
  const leave = (): void => controller.abort(outer.reason);
  // One signal is that of a whole pull, with many objects under way.
  setMaxListeners(0, outer);
  outer.addEventListener("abort", leave, { once: true });
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  // Whoever is done does not wait for it any more.
  ended.catch(() => {});
  return {
    signal,
    ended,
    alive: note,
    longestMs() {
      note();
      return longestMs;
    },
    end() {
      isOver = true;
      clearTimeout(timer);
      outer.removeEventListener("abort", leave);
    },
  };
}
