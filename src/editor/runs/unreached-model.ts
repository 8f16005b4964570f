import type { RunnerProcess } from "../../server/runner-process.ts";

interface UnreachedOptions {
  /** Total requests that reached the server. */
  readonly requests: () => number;
  /** The time of the newest call in milliseconds since the epoch, if there is one. */
  readonly lastCallAt: () => number | undefined;
  /** Called with the names of the runners when tests ended without a request. */
  readonly unreached: (runners: readonly string[]) => void;
}

/** Milliseconds after the last worker of a run ended until the run counts as ended. */
export const SETTLED_MS = 5_000;

/**
 * Reports runs without requests. Processes that overlap in time are one run. If another program calls in the same time,
 * nothing is reported, because its calls cannot be distinguished from those of the run.
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
  const removeProcess = (): void => {
    alive -= 1;
    clearTimeout(timer);
    if (alive === 0) timer = setTimeout(settle, SETTLED_MS).unref();
  };
  return {
    addProcess({ runner, age, ended }: Pick<RunnerProcess, "runner" | "age" | "ended">) {
      clearTimeout(timer);
      run ??= { requests: options.requests(), runners: new Set(), isCalling: false };
      run.runners.add(runner);
      // Files can make calls while they are loaded, before the first test starts.
      run.isCalling ||= Date.now() - (options.lastCallAt() ?? 0) <= age;
      alive += 1;
      void ended.then(removeProcess);
    },
    dispose: () => clearTimeout(timer),
  };
}
