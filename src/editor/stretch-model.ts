/** A new run of tests begins where nobody says so: a call after so long a silence belongs to another run. */
export const QUIET_MS = 60_000;

/** Tells silences apart. */
export interface Quiet {
  /** Notes a call; true where it is the first after a silence. */
  called(): boolean;
  dispose(): void;
}

/** How often it is looked whether calls have been away: a timer that is to last stands still while the machine sleeps. */
const LOOK_MS = 5_000;

/** `begins` is called once calls have been away for long: before the next one, so that it is counted as a first one. */
export function createQuiet(begins: () => void): Quiet {
  let timer: NodeJS.Timeout | undefined;
  let isQuiet = false;
  let last = { date: 0, ticks: 0 };
  // The clock tells of a sleep, and the ticks go on where the clock is set back.
  const silence = (): number => Math.max(Date.now() - last.date, performance.now() - last.ticks);
  const look = (): void => {
    if (silence() < QUIET_MS) return;
    isQuiet = true;
    stop();
    begins();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    called() {
      const wasQuiet = isQuiet;
      isQuiet = false;
      last = { date: Date.now(), ticks: performance.now() };
      timer ??= setInterval(look, LOOK_MS).unref();
      return wasQuiet;
    },
    dispose: stop,
  };
}

/** While calls come in faster than this and something is still running, they belong to that and not to what starts. */
const BUSY_MS = 5_000;

export interface Started {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the newest call, if any. */
  readonly lastCallAt: number | undefined;
  /** Number of commands, tasks and debug sessions that were under way already. */
  readonly running: number;
}

/** Whether what starts now (a command in a terminal, a task, a debug session) begins another stretch. */
export function beginsStretch({ now, lastCallAt, running }: Started): boolean {
  // A clock that was set back says nothing of how long ago that was.
  return running === 0 || lastCallAt === undefined || now < lastCallAt || now - lastCallAt > BUSY_MS;
}

const TEST_COMMAND =
  /(?:^|[\s/\\;&|])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?t(?:est\S*)?|(?:go|cargo|deno|dotnet|make|just|rake)\s+test\S*|node\s(?:.*\s)?--test|vitest|jest|mocha|ava|pytest|unittest|playwright|tox|nox)(?:$|\s)/u;

/** Whether a command line looks like one that runs tests. A guess: it decides about a hint, nothing else. */
export function looksLikeTests(commandLine: string): boolean {
  return TEST_COMMAND.test(commandLine);
}
