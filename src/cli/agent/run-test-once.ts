import { EventEmitter } from "node:events";
import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestRun } from "../../agent/agent-project.ts";
import { isSolvedBy } from "../../agent/misses.ts";
import { isTapedeckError } from "../../core/base/errors.ts";
import type { Key, Mode, TestRef } from "../../core/call/call.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";
import { createRunObserver } from "../../server/run-observer.ts";
import { readText } from "../../storage/folder/read-file.ts";
import { makeTemporaryFolder } from "../../storage/local/temporary-folder.ts";
import type { RemoteSettings } from "../../team/settings.ts";
import { findRunner } from "../../test-discovery/project-runner.ts";
import { createCommandForTest, type TestCommand } from "../../test-discovery/run-one.ts";
import type { FoundTest } from "../../test-discovery/found-test.ts";
import type { ServeOptions } from "../options/serve-options.ts";
import { keepMissedRequests, type MissedRequests } from "../propose-rules.ts";
import { buildReport, createRunEvent, type RunEvent, type RunReport } from "../report/run-report.ts";
import { rememberRun } from "../run-record.ts";
import { runWatched } from "../run-watched.ts";
import { startServing, type Serving } from "../serving.ts";
import type { Terminal } from "../terminal.ts";

export interface RunPlace {
  /** The options of runs; their mode and limits are set for each run. */
  readonly options: ServeOptions & { readonly remote?: RemoteSettings | undefined };
  readonly terminal: Terminal;
}

export interface EndedRun {
  readonly hasPassed: boolean;
  readonly record: RunRecord | undefined;
  readonly report: RunReport;
  readonly output: string;
  readonly requests: MissedRequests;
  /** Whether a test runner started and ran none of its tests. */
  readonly isEmpty: boolean;
  /** Whether calls were missed that no rule for values that change on every run makes match. */
  readonly isUnexplained: boolean;
}

/**
 * Runs a test as `tapedeck run` does, with its output in a file. A subtest of node:test runs with the tests around it.
 * @throws TapedeckError if no runner is found or the test cannot be started
 */
export async function runTestOnce(run: TestRun, { options, terminal }: RunPlace): Promise<EndedRun> {
  const command = await findCommand(run.test, options.project);
  const folder = makeTemporaryFolder("agent");
  const outputFile = join(folder, "output");
  const output = openSync(outputFile, "a");
  try {
    const quiet = createQuietTerminal(terminal, output, run.signal);
    const ended = await serveAndRun(run, command, { options, terminal: quiet });
    const outer = { ...run.test, name: run.test.name.slice(0, -1) };
    // Node selects a subtest only by its outermost test, and only a run shows which of the titles are suites.
    if (ended.isEmpty && command.args.includes("--test") && outer.name.length > 0 && !run.signal.aborted)
      return await runTestOnce({ ...run, test: outer }, { options, terminal });
    return { ...ended, output: await readText(outputFile).catch(() => "") };
  } finally {
    closeSync(output);
    await rm(folder, { recursive: true, force: true });
  }
}

async function findCommand(test: TestRef, project: string): Promise<TestCommand> {
  const file = join(project, test.file);
  const runner = await findRunner({ file, workspaceFolder: project });
  if (isTapedeckError(runner)) throw runner;
  return createCommandForTest(runner, file, createDeclaration(test));
}

async function serveAndRun(
  { record }: TestRun,
  { command, args, cwd }: TestCommand,
  { options, terminal }: RunPlace,
): Promise<Omit<EndedRun, "output">> {
  const words = [command, ...args];
  const mode = record === undefined ? "strict" : "record";
  const watched = { command: words, guards: true, blocksNetwork: false, isAttached: false };
  const observed = createRunObserver();
  const limits = record === undefined ? {} : { limits: record.limits };
  const serving = await startServing({ ...options, ...limits, mode }, terminal, (note) =>
    observed.note(note),
  );
  const { deck, admission } = serving;
  if (record?.keys !== undefined) {
    // Other calls are answered as in a strict run.
    admission.run.mode = "strict";
    overrideModes(record.keys, serving);
  }
  const events: RunEvent[] = [];
  deck.engine.onCall((event) => events.push(createRunEvent(event)));
  const requests = keepMissedRequests(deck);
  let code = 1;
  try {
    code = await runWatched(watched, {
      serving,
      mode,
      observed,
      output: "out",
      terminal: { ...terminal, cwd },
    });
    const plan = mode === "strict" && requests.all.size > 0 ? await requests.planRules() : undefined;
    const { runners, ranTests } = observed.whole();
    const isEmpty = runners.length > 0 && !ranTests;
    return {
      hasPassed: code === 0 && !isEmpty,
      isEmpty,
      requests,
      report: buildReport(mode, admission.requests, events, observed.whole()),
      record: await rememberRun(events, { mode, command: words, passed: code === 0 }, serving),
      isUnexplained: plan !== undefined && !isSolvedBy(plan),
    };
  } finally {
    await serving.stop(code);
  }
}

/** Answers calls of these keys in their modes. An override is for one call, but a test can make identical calls. */
function overrideModes(keys: ReadonlyMap<Key, Mode>, { deck, admission }: Serving): void {
  const override = (): void => {
    for (const [key, mode] of keys) admission.run.overrides.set(key, mode);
  };
  override();
  deck.engine.onCall(override);
}

/** Returns a test by its titles; undefined for the whole file. A call's line is not that of its test. */
function createDeclaration({ name, joined, file }: TestRef): FoundTest | undefined {
  const path = joined === undefined ? name : [joined];
  const title = path.at(-1);
  if (title === undefined) return undefined;
  return {
    kind: "test",
    title,
    path,
    patterns: path.map(() => null),
    line: 0,
    firstLine: 0,
    endLine: 0,
    ...(file.endsWith(".py") && { id: path.join("::") }),
    isSkipped: false,
  };
}

/** Returns a terminal whose commands write to a file: standard output belongs to the protocol. */
function createQuietTerminal(terminal: Terminal, output: number, signal: AbortSignal): Terminal {
  const signals = new EventEmitter();
  signal.addEventListener("abort", () => signals.emit("SIGTERM", "SIGTERM"), { once: true });
  const { ask: _, ...rest } = terminal;
  return {
    ...rest,
    out: () => {},
    outAsIs: () => {},
    err: () => {},
    hasKeyboard: false,
    signals,
    streams: ["ignore", output, output],
  };
}
