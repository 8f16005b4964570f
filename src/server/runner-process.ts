import type { ServerResponse } from "node:http";
import type { Run } from "../core/call/call.ts";

/** A process in which tests run, as its hooks tell: once, when the first test begins. */
export interface RunnerProcess {
  /** e.g. "vitest". Untrusted: a short word, nothing more is known of it. */
  readonly runner: string;
  /** How long it had lived by then, in milliseconds. */
  readonly age: number;
  readonly run: Run;
  /** Resolves when the process is gone, or the server. */
  readonly ended: Promise<void>;
}

/** Stands where a provider's name would; none begins like this. */
export const TESTS_BEGAN = "@tests";

/**
 * Reads the hooks' report that tests began. Undefined for any other request. The report is never answered, so its
 * connection stays open until the process ends, however it ends.
 */
export function readRunnerProcess(
  path: string,
  response: ServerResponse,
  run: Run,
): RunnerProcess | undefined {
  const [, runner, age] = TOLD.exec(path) ?? [];
  if (runner === undefined) return undefined;
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  return { runner, age: Number(age), run, ended };
}

const TOLD = /^\/\?runner=([a-z][\w-]{0,31})&age=(\d{1,12})$/;
