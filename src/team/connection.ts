import { setMaxListeners } from "node:events";
import { explain, isTapedeckError, type TapedeckError } from "../core/errors.ts";
import { faultOf } from "../remote/failures.ts";
import type { RemoteStore } from "../remote/remote-store.ts";

/** A team's cache that may be gone at any moment. */
export interface Connection {
  /**
   * Does something with the cache. Undefined where it cannot be asked, or did not answer: whoever watches was told why.
   * Never rejects. What was found dead costs nobody anything more.
   */
  readonly ask: <T>(work: (store: RemoteStore, signal: AbortSignal) => Promise<T>) => Promise<Asked<T>>;
  /** Why it is not asked at the moment. */
  readonly trouble: string | undefined;
  /** Something that nobody waits for: the end does, for a moment. */
  readonly behind: (work: Promise<unknown>) => void;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export type Asked<T> = { readonly value: T } | undefined;

export interface ConnectionParts {
  /** @throws TapedeckError where the cache cannot be used. */
  readonly open: (signal: AbortSignal) => Promise<RemoteStore>;
  /** Told once of everything that goes wrong. */
  readonly warn: (message: string) => void;
  /** Milliseconds that never go back. */
  readonly ticks: () => number;
}

/** So long a cache that was found dead is left alone. Then the next call has it tried anew, and does not wait for it. */
const RETRY_MS = 10_000;

/** So long the end waits for what nobody waited for. */
const END_MS = 500;

/** Of what is wrong with single objects, and the like, so much is said. */
const MOST_WARNINGS = 8;

/** What is known of a cache at the moment. */
interface State {
  /** Ends what is under way. */
  stop: AbortController;
  opened: Promise<RemoteStore> | undefined;
  dead: { readonly why: string; readonly at: number; readonly isFinal: boolean } | undefined;
  isClosed: boolean;
}

export function createConnection(parts: ConnectionParts): Connection {
  const state: State = { stop: stopper(), opened: undefined, dead: undefined, isClosed: false };
  const behind = new Set<Promise<unknown>>();
  const once = sayingOnce(parts.warn);
  const say = (message: string): void => {
    if (!state.isClosed) once(message);
  };

  return {
    get trouble() {
      return state.dead?.why;
    },
    async ask(work) {
      tryAgain(state, parts);
      if (state.dead !== undefined || state.isClosed) return undefined;
      const { signal } = state.stop;
      try {
        const opened = (state.opened ??= parts.open(signal));
        return { value: await untilAborted(signal, workOn(opened, work, signal)) };
      } catch (error) {
        if (signal.aborted) return undefined;
        say(explain(error));
        if (!isOfOneObject(error)) die(error, state, parts);
        return undefined;
      }
    },
    behind(work) {
      const over = work.catch(() => {}).finally(() => behind.delete(over));
      behind.add(over);
    },
    async close() {
      if (state.isClosed) return;
      state.isClosed = true;
      if (state.dead === undefined) await atMost(END_MS, Promise.all(behind));
      state.stop.abort();
      await leave(state.opened);
    },
  };
}

async function workOn<T>(
  opened: Promise<RemoteStore>,
  work: (store: RemoteStore, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return work(await opened, signal);
}

/** Nobody waits for it any more. */
function die(error: unknown, state: State, { ticks }: ConnectionParts): void {
  state.dead = { why: explain(error), at: ticks(), isFinal: faultOf(error) === "wrong" };
  void leave(state.opened);
  state.opened = undefined;
  state.stop.abort(error);
}

/** Tries a cache that was found dead, behind the back of who asks. */
function tryAgain(state: State, { open, ticks }: ConnectionParts): void {
  const { dead, isClosed } = state;
  if (dead === undefined || dead.isFinal || isClosed || ticks() - dead.at < RETRY_MS) return;
  state.dead = { ...dead, at: ticks() };
  void revive(state, open);
}

async function revive(state: State, open: ConnectionParts["open"]): Promise<void> {
  const stop = stopper();
  const opened = open(stop.signal);
  const store = await opened.catch(() => undefined);
  if (store === undefined) return;
  if (state.isClosed) await leave(opened);
  else Object.assign(state, { stop, opened, dead: undefined });
}

async function leave(opened: Promise<RemoteStore> | undefined): Promise<void> {
  // Of what fails, whoever asked for it was told.
  await opened?.then((remote) => remote.close()).catch(() => undefined);
}

/** Says each thing once, and no more than a person would read. */
export function sayingOnce(warn: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message) || said.size >= MOST_WARNINGS) return;
    said.add(message);
    warn(message);
  };
}

/** Calls that wait for it may be many. */
function stopper(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, end]);
  clearTimeout(timer);
}

/** Another object, and another moment, may be better: a cache that is full is still read. */
function isOfOneObject(error: unknown): error is TapedeckError {
  if (!isTapedeckError(error)) return false;
  // What cannot be sealed, since it is too large, is the usage of one object.
  const fault = error.code === "tapedeck_usage" ? "object" : faultOf(error);
  return fault === "object" || fault === "full";
}

/** As `work`, or the signal's reason as soon as that is aborted, whatever `work` does. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let end = (): void => {};
  const gone = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason as Error);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
  try {
    return await Promise.race([work, gone]);
  } finally {
    signal.removeEventListener("abort", end);
    work.catch(() => {});
  }
}
