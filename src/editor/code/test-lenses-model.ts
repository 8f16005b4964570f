import { COMMANDS, type CommandId } from "../ids.ts";
import type { CodeLensLevel } from "../settings-model.ts";
import type { TestState } from "./test-states-model.ts";

/** A line of text above a test that does something when clicked. `line` is 1-based. */
export interface TestLens {
  readonly line: number;
  readonly title: string;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly arguments: readonly unknown[];
}

/** The lenses of a file's tests, at most three a test. A test that was never seen to call can only be recorded. */
export function testLenses(
  states: readonly TestState[],
  options: { readonly level: CodeLensLevel; readonly mayRun: boolean; readonly uri: string },
): readonly TestLens[] {
  if (options.level === "off") return [];
  return states.filter(({ test }) => test.kind === "test").flatMap((state) => lensesOf(state, options));
}

function lensesOf(
  state: TestState,
  { level, mayRun, uri }: { readonly level: CodeLensLevel; readonly mayRun: boolean; readonly uri: string },
): readonly TestLens[] {
  const { test } = state;
  const place = { uri, test: { path: test.path, line: test.line } };
  const lens = (title: string, tooltip: string, command: CommandId, argument: unknown = place): TestLens => ({
    line: test.firstLine,
    title,
    tooltip,
    command,
    arguments: [argument],
  });
  const count = state.recordings.length;
  const replay =
    count > 0
      ? [
          lens(
            `$(play) Replay · ${countsText(state)}`,
            "Run this test against its recordings; nothing leaves this machine",
            COMMANDS.replayTest,
          ),
        ]
      : [];
  const record = lens(
    "$(record) Record",
    count > 0 ? "Run this test and record what is not recorded yet" : "Run this test and record its calls",
    COMMANDS.recordTest,
  );
  const [first] = state.missing;
  const missing =
    first === undefined
      ? []
      : [
          lens(`$(warning) ${state.missing.length} missing`, missingText(state), COMMANDS.goToMissing, {
            missing: first.id,
          }),
        ];
  if (level === "missing") return missing.length > 0 && mayRun ? [record, ...missing] : missing;
  return mayRun ? [...replay, record, ...missing] : missing;
}

function countsText({ recordings }: TestState): string {
  const fresh = recordings.filter(({ isNew }) => isNew).length;
  const stale = recordings.filter(({ isStale }) => isStale).length;
  return [
    `${recordings.length} recorded`,
    ...(fresh > 0 ? [`${fresh} new`] : []),
    ...(stale > 0 ? [`${stale} stale`] : []),
  ].join(", ");
}

function missingText({ missing }: TestState): string {
  return missing
    .map(({ miss }) => `No recording: ${miss.model ?? miss.operation} "${miss.label}"`)
    .join("\n");
}
