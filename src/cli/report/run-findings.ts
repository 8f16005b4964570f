import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Mode, TestRef } from "../../core/call.ts";
import { bypassText } from "../../core/finding.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { testTitle } from "../../core/view/names.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { RunEvent, MissedCall, MissedTest, RunReport } from "./run-report.ts";
import { missedText } from "./run-report-text.ts";
import type { PassedCall } from "../../server/seen.ts";

/** What a run may be found to lack, for machines that show it to people. */
export const RUN_RULES = {
  "missing-recording": {
    meaning: "A call of a test that is not recorded",
    hint: "Record it: run the same command with --mode record, and commit the cassette folder.",
  },
  "secret-in-call": {
    meaning: "A call with a secret in it, which is not recorded",
    hint: 'Take the secret out, or say what to do with it in tapedeck.jsonc ("secrets", "allowSecrets").',
  },
  "lost-recording": {
    meaning: "A recording that could not be written",
    hint: "Make room on the disk or give the cassette folder other rights, and record again.",
  },
  "over-limit": {
    meaning: "A call that is over the run's limits of context",
    hint: "Shorten what the call sends, or raise the limit (docs/mocks.md).",
  },
  "unseen-call": {
    meaning: "A call to a provider that passed Tapedeck by",
    hint: "Let the client use HTTP/1.1 or the provider's base-URL variable; --allow-unseen accepts such calls.",
  },
  "no-calls": {
    meaning: "A run in which no call reached Tapedeck",
    hint: "Is the client's address set in code, is the client mocked, or do the tests run elsewhere?",
  },
} as const;

export type RunRule = keyof typeof RUN_RULES;

/** One thing that a run lacks, and where. */
export interface RunFinding {
  readonly rule: RunRule;
  readonly level: "error" | "warning";
  readonly of?: TestRef;
  /** Relative to `ReportPlace.base`, "/" between segments; undefined where no place is known. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** The test, outermost title first. */
  readonly title: string;
  readonly message: string;
  /** Where the call was made, where that is elsewhere. */
  readonly at?: { readonly file: string; readonly line: number };
  readonly key?: string;
}

export interface ReportPlace {
  /** Folders to which the files of tests may be relative. */
  readonly roots: readonly string[];
  /** Absolute: what addresses are relative to. */
  readonly base: string;
  /** The cassette folder, absolute: where what has no other place is shown. */
  readonly dir: string;
  /** Whether calls that passed by are accepted. */
  readonly allowsUnseen?: boolean;
}

/** `requiresCalls`: a run without calls is then an error, else worth a warning. */
export function runFindings(
  report: RunReport,
  place: ReportPlace & { readonly requiresCalls: boolean },
): readonly RunFinding[] {
  const missed = report.missed.flatMap((one) => one.calls.map((call) => missFinding(one, call, place)));
  const findings = [
    ...missed,
    ...report.failing.map((event) => eventFinding("secret-in-call", event, place)),
    ...report.lost.map((event) => eventFinding("lost-recording", event, place)),
    ...report.overLimit.map((event) => eventFinding("over-limit", event, place)),
    ...report.seen.passed.map((call) => unseenFinding(call, report.mode, place)),
  ];
  if (report.requests > 0) return findings;
  const { meaning, hint } = RUN_RULES["no-calls"];
  const level = place.requiresCalls ? "error" : "warning";
  return [...findings, { rule: "no-calls", level, title: "No calls", message: `${meaning}. ${hint}` }];
}

function missFinding({ test }: MissedTest, call: MissedCall, place: ReportPlace): RunFinding {
  const { event } = call;
  // The test is the one of the first call: each has a line of its own.
  const { line, at } = event.test ?? test ?? {};
  return {
    rule: "missing-recording",
    level: "error",
    ...testMembers(test, place),
    ...pickDefined({ line }),
    message: missedText(call).join(" "),
    ...(at && { at: { file: pathFromBase(at.file, place), line: at.line } }),
    ...(event.key !== null && { key: event.key }),
  };
}

function eventFinding(
  rule: "secret-in-call" | "lost-recording" | "over-limit",
  event: RunEvent,
  place: ReportPlace,
): RunFinding {
  const { test, reason = RUN_RULES[rule].meaning, key } = event;
  return {
    rule,
    level: "error",
    ...testMembers(test, place),
    ...pickDefined({ line: test?.line }),
    message: visibleLine(`${event.provider} ${event.model ?? event.operation}: ${reason}`),
    ...(key !== null && { key }),
  };
}

function unseenFinding(call: PassedCall, mode: Mode, place: ReportPlace): RunFinding {
  return {
    rule: "unseen-call",
    level: mode === "strict" && (call.mend !== undefined || !place.allowsUnseen) ? "error" : "warning",
    ...testMembers(call.test, place),
    ...pickDefined({ line: call.test?.line }),
    message: bypassText(call),
  };
}

function testMembers(
  test: TestRef | undefined,
  place: ReportPlace,
): Pick<RunFinding, "of" | "file" | "title"> {
  if (test === undefined) return { title: "A call outside any known test" };
  return { of: test, file: pathFromBase(test.file, place), title: visibleLine(testTitle(test)) || test.file };
}

/** A test's file as seen from the base; as it was told where it is found in none of the folders. */
export function pathFromBase(file: string, { roots, base }: Pick<ReportPlace, "roots" | "base">): string {
  const root = roots.find((folder) => existsSync(join(folder, file)));
  const path = root === undefined ? file : relative(base, join(root, file));
  return path.split(sep).join("/");
}
