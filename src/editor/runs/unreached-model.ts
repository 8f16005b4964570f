import type { RunnerProcess } from "../../server/runner-process.ts";

interface UnreachedOptions {
  /** Requests that reached the server, ever. */
  readonly requests: () => number;
  /** Of the newest call in milliseconds since the epoch, if any. */
  readonly lastCallAt: () => number | undefined;
  /** Tests ran, and ended, and no request arrived: with the names of their runners. */
  readonly unreached: (runners: readonly string[]) => void;
}

/** Workers of a run follow one another; so long after the last one no other is to come. */
export const SETTLED_MS = 5_000;

/**
 * Processes whose lives touch are one run. Where another program's calls arrive in the same time nothing is said:
 * nobody could tell whose they were.
 */
export function createUnreachedWatch(options: UnreachedOptions) {
  let alive = 0;
  let timer: NodeJS.Timeout | undefined;
  let run: { readonly requests: number; readonly runners: Set<string>; isCalling: boolean } | undefined;

  const settle = (): void => {
    const ended = run;
    run = undefined;
    if (!ended || ended.isCalling || options.requests() !== ended.requests) return;
    options.unreached([...ended.runners]);
  };
  const over = (): void => {
    alive -= 1;
    clearTimeout(timer);
    if (alive === 0) timer = setTimeout(settle, SETTLED_MS).unref();
  };
  return {
    began({ runner, age, ended }: Pick<RunnerProcess, "runner" | "age" | "ended">) {
      clearTimeout(timer);
      run ??= { requests: options.requests(), runners: new Set(), isCalling: false };
      run.runners.add(runner);
      // Files may call while they are loaded, before a first test begins and tells.
      run.isCalling ||= Date.now() - (options.lastCallAt() ?? 0) <= age;
      alive += 1;
      void ended.then(over);
    },
    dispose: () => clearTimeout(timer),
  };
}
