import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, onTestFinished } from "vitest";
import { getDeclaredName } from "../../../src/core/call/test-names.ts";
import { type FoundTest, resolveTest } from "../../../src/test-discovery/found-test.ts";
import type { RunnerName } from "../../../src/test-discovery/test-runner.ts";
import { hooksFor } from "../../fixtures/runners/hooked.ts";
import { run, type Project } from "../../fixtures/runners/project.ts";
import { aStandIn, type Arrived } from "../../fixtures/runners/stand-in.ts";
import type { Saying } from "./calling-tests.ts";
import { declarationsIn, isDeclaredAs } from "./declarations.ts";

/** A call: the test in its own text, and the test that the hooks reported. */
export interface ToldCall {
  readonly saying: Saying;
  readonly test: Arrived["test"];
  /** All that the header holds. */
  readonly header: Readonly<Record<string, unknown>>;
  /** The declaration that an editor shows for it. */
  readonly shown: FoundTest | undefined;
  /** Whether its line is known, and within that declaration. */
  readonly hasLine: boolean;
  /** Whether a process reported that its runner runs tests. */
  readonly isReported: boolean;
}

export interface Running {
  readonly project: Project;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly expectedCode?: number;
}

/** Runs a program with the hooks in it and gives the calls that arrived. */
export async function callsOf(running: Running): Promise<readonly ToldCall[]> {
  const { project, command, args, env = {}, expectedCode = 0 } = running;
  const server = await aStandIn(() => [project.dir]);
  onTestFinished(() => server.close());
  const hooks = hooksFor(project, server.url);
  const { code, output } = await run(
    { command, args, cwd: project.dir },
    { ...hooks, ...env, SERVER_URL: server.url },
  );
  if (code !== expectedCode || server.calls.length === 0) throw new Error(`ended with ${code}\n${output}`);
  const runners = new Set(server.runners.map(({ name }) => name));
  return Promise.all(server.calls.map((call) => told(call, project, runners)));
}

async function told(
  { said, header, test }: Arrived,
  project: Project,
  runners: ReadonlySet<string>,
): Promise<ToldCall> {
  const saying = JSON.parse(said) as Saying;
  const sent = JSON.parse(decodeURIComponent(header?.split(";")[0] ?? "%7B%7D")) as Readonly<
    Record<string, unknown>
  >;
  const text = test && readFileSync(project.path(test.file), "utf8");
  const declared = test && text !== undefined ? await declarationsIn(test.file, text) : [];
  const shown = test && resolveTest(declared, test);
  const line = test?.line ?? 0;
  const hasLine =
    sent["exact"] === true && shown !== undefined && shown.firstLine <= line && line <= shown.endLine;
  return { saying, test, header: sent, shown, hasLine, isReported: runners.has(String(sent["runner"])) };
}

export interface Judging {
  readonly runner: RunnerName;
  /** For the figures, e.g. "vitest 4.1.12". */
  readonly name: string;
  /** Whether hooks around all tests of a suite are attributed to the test that they ran before or after. */
  readonly sharedHooksAreTests?: boolean;
  /** Whether only the line identifies the suite of a hook around all its tests. */
  readonly sharedHooksByLine?: boolean;
  /** Ways of calling that are known to cut the stack, so that a call has no line. */
  readonly withoutLine: ReadonlySet<Saying["how"]>;
}

/** Fails if a call was not attributed by the runner's own probe, or to another test than its own; prints the figures. */
export function expectRightTests(calls: readonly ToldCall[], judging: Judging): void {
  const wrong = calls.filter((call) => !isRight(call, judging)).map(described);
  expect(wrong).toEqual([]);
  const lineless = calls.filter(
    ({ saying, hasLine }) => !hasLine && saying.part === "test" && !judging.withoutLine.has(saying.how),
  );
  expect(lineless.map(described)).toEqual([]);
  const right = calls.length - wrong.length;
  const lines = calls.filter(({ header }) => header["exact"] === true).length;
  console.log(`▸ ${judging.name}: ${right} of ${calls.length} calls to the right test, ${lines} with a line`);
}

function isRight({ saying, test, header, shown, isReported }: ToldCall, judging: Judging): boolean {
  // Without the probe there would be no runner.
  if (header["runner"] !== judging.runner || header["cut"] === true || !isReported) return false;
  if (test === undefined || shown === undefined || basename(test.file) !== saying.file) return false;
  const inSuite = test.name.length > saying.path.length && startsWith(test.name, saying.path);
  if (saying.part === "each") return inSuite && shown.kind === "test";
  if (saying.part === "all" && judging.sharedHooksAreTests === true) return inSuite;
  if (saying.part === "all" && judging.sharedHooksByLine === true)
    return test.name.length === 0 && isDeclaredAs(shown, saying);
  const named =
    test.joined === undefined
      ? isSame(getDeclaredName(test), saying.path)
      : test.joined === saying.path.join(" ");
  return named && isDeclaredAs(shown, saying);
}

function startsWith(name: readonly string[], path: readonly string[]): boolean {
  return isSame(name.slice(0, path.length), path);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((title, index) => title === other[index]);
}

function described({ saying, header, shown }: ToldCall): string {
  return `${JSON.stringify(saying)} attributed to ${JSON.stringify(header)} shown at ${shown?.line}`;
}

/** How often each test was executed, as the hooks tell it. No two tests share an execution. */
export function executionsOf(calls: readonly ToldCall[]): Readonly<Record<string, number>> {
  const known = new Map<string, Set<string>>();
  for (const { saying, test } of calls.filter((call) => call.saying.part === "test")) {
    const name = [...saying.path, ...(saying.nth === undefined ? [] : [saying.nth])].join(" / ");
    const key = `${saying.file}: ${name}`;
    known.set(key, (known.get(key) ?? new Set()).add(test?.execution ?? "none"));
  }
  const all = [...known.values()].flatMap((ids) => [...ids]);
  expect(new Set(all).size).toBe(all.length);
  return Object.fromEntries([...known].map(([name, ids]) => [name, ids.size]));
}
