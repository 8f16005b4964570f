/** A new run of tests begins where nobody says so: a call after so long a silence belongs to another run. */
export const SILENCE_MS = 60_000;

/** Tells silences apart. */
interface Silence {
  /** Notes a call; true where it is the first after a silence. */
  called(): boolean;
  /** What called has ended: that is a silence at once. */
  ended(): void;
  /** A run began: the next call is not its first. */
  began(): void;
  dispose(): void;
}

/** How often it is looked whether calls have been away: a timer that is to last stands still while the machine sleeps. */
const LOOK_MS = 5_000;

/** `begins` is called once calls have been away for long: before the next one, so that it is counted as a first one. */
export function watchSilence(begins: () => void): Silence {
  let timer: NodeJS.Timeout | undefined;
  let isSilent = false;
  let last = { date: 0, ticks: 0 };
  // The clock tells of a sleep, and the ticks go on where the clock is set back.
  const silence = (): number => Math.max(Date.now() - last.date, performance.now() - last.ticks);
  const fallSilent = (): void => {
    isSilent = true;
    stop();
    begins();
  };
  const look = (): void => {
    if (silence() >= SILENCE_MS) fallSilent();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    called() {
      const wasSilent = isSilent;
      isSilent = false;
      last = { date: Date.now(), ticks: performance.now() };
      timer ??= setInterval(look, LOOK_MS).unref();
      return wasSilent;
    },
    ended: fallSilent,
    began: () => void (isSilent = false),
    dispose: stop,
  };
}

/** While calls come in faster than this and something is still running, they belong to that and not to what starts. */
const BUSY_MS = 5_000;
/** What starts is told of late: the calls of so long before may be its own. */
const LATE_MS = 2_000;
/** So far apart are the calls that are noted; the others say nothing more. */
const STEP_MS = 100;

/** Calls of the present stretch that came at about the same time. Times are in milliseconds since the epoch. */
export interface NotedCalls {
  readonly at: number;
  /** When the last of them was answered. */
  until: number;
  /** Requests that had reached the server before. */
  readonly requests: number;
}

/** Notes an answered call; what lies too far back to matter goes. `noted`: the earliest first. */
export function noteCall(noted: NotedCalls[], call: NotedCalls): void {
  const last = noted.at(-1);
  if (last !== undefined && call.at - last.at < STEP_MS) {
    last.until = Math.max(last.until, call.until);
    return;
  }
  noted.push(call);
  if (noted.length > (BUSY_MS + LATE_MS) / STEP_MS + 2) noted.shift();
}

/** How what starts stands to the calls of the present stretch. */
export interface Standing {
  /** `own`: they may all be its own; `another`: they belong to what was before; `shared`: it joins what is calling. */
  readonly calls: "own" | "another" | "shared";
  /** The first calls that may be its own already. */
  readonly first: NotedCalls | undefined;
}

/** `running`: number of commands in terminals, tasks and debug sessions that were under way already when one starts. */
export function standingOf(noted: readonly NotedCalls[], now: number, running: number): Standing {
  const isLate = ({ at }: NotedCalls): boolean => at <= now && now - at <= LATE_MS;
  const first = noted.find(isLate);
  const before = noted.findLast((calls) => !isLate(calls));
  if (before === undefined) return { calls: "own", first };
  const silence = (first?.at ?? now) - before.until;
  // A clock that was set back says nothing of how long ago a call was.
  const isOver = running === 0 || before.at > now || silence > BUSY_MS;
  return { calls: isOver ? "another" : "shared", first };
}

const TEST_COMMAND =
  /(?:^|[\s/\\;&|])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?t(?:est\S*)?|(?:go|cargo|deno|dotnet|make|just|rake)\s+test\S*|node\s(?:.*\s)?--test|vitest|jest|mocha|ava|pytest|unittest|playwright|tox|nox)(?:$|\s)/u;

/** Whether a command line looks like one that runs tests. A guess: it decides about a hint, nothing else. */
export const looksLikeTests = (commandLine: string): boolean => TEST_COMMAND.test(commandLine);
