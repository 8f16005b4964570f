import { localize, joinSentences } from "../core/base/localize.ts";
import { localizeCount } from "../core/base/plural.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import { makeVisibleLine } from "../core/base/visible.ts";
import { type Limits, formatLimits } from "../core/answer/budget/limits.ts";
import type { Key, Miss, Mode, TestRef } from "../core/call/call.ts";
import { formatDollars, formatSpending } from "../core/call/spending.ts";
import { createRecordingAddress } from "../core/cassette/address.ts";
import type { ReplyDraft } from "../core/protocol/base/protocol.ts";
import { createRulesQuestion } from "../core/view/rules-plan-text.ts";
import { shorten } from "../core/view/row.ts";
import type { RulesPlan } from "../core/match/rules/plan-rules.ts";
import type { AgentProject, CallContext, OpenMiss, ApprovalRequest, TestRunResult } from "./agent-project.ts";
import {
  addMisses,
  estimateCost,
  findMiss,
  filterMisses,
  formatTest,
  isSolvedBy,
  planRulesForMiss,
  getRunnableTest,
} from "./misses.ts";
import { ResultText } from "./result-text.ts";
import { RUN, formatToolCall } from "./tool-names.ts";
import { ToolProblem } from "./tool-problem.ts";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { getPathInside } from "../storage/inside.ts";

/** Names a test by a missing call, or by its file and titles. */
export interface NamedTest {
  readonly miss?: string | undefined;
  readonly file?: string | undefined;
  readonly test?: readonly string[] | undefined;
}

/** The result of a tool, with what it spent. */
export interface RunText {
  readonly text: ResultText;
  readonly spent?: TestRunResult["spent"];
}

/** Runs a test in strict mode. Nothing leaves the machine. */
export async function runTest(named: NamedTest, { project, signal }: CallContext): Promise<RunText> {
  const { test } = await findNamedTest(named, project);
  return { text: formatResult(await project.run({ test, signal })) };
}

export interface RecordingTask extends NamedTest {
  readonly onlyThisCall: boolean;
  readonly maxCalls: number;
  readonly maxCostUsd: number;
}

/** Records the missing calls of a test, or one of them, within limits. */
export async function recordTest(request: RecordingTask, context: CallContext): Promise<RunText> {
  const { project, signal } = context;
  const { test, miss } = await findNamedTest(request, project);
  const keys = chooseKeys(request, miss);
  const result = await project.run({
    test,
    record: { limits: chooseLimits(request, project), ...(keys && { keys }) },
    signal,
  });
  const text = formatResult(result);
  if (result.spent !== undefined) text.line(`Spent: ${formatSpending(result.spent)}.`);
  if ((result.outcomes.recorded ?? 0) > 0)
    text.line(`The new recordings wait for the user's review. next: ${RUN} with the same test.`);
  return { text, spent: result.spent };
}

/** Asks whether a test may be recorded, with the estimated calls and cost and the limits of the run. */
export async function createRecordQuestion(
  request: RecordingTask,
  { project }: CallContext,
): Promise<ApprovalRequest> {
  const { test, miss } = await findNamedTest(request, project);
  const known =
    miss !== undefined && chooseKeys(request, miss) !== undefined
      ? [miss]
      : filterMisses(test, await project.missing());
  const costs = await Promise.all(known.map((one) => estimateCost(one, project)));
  const cost = costs.reduce<number>((sum, one) => sum + (one === "unknown" ? 0 : one), 0);
  const hasUnknown = costs.length === 0 || costs.includes("unknown");
  const limits = chooseLimits(request, project);
  const providers = [...new Set(known.map(({ provider }) => provider))].join(", ");
  return {
    title: localize("Record {0}?", shorten(formatTest(test), 160)),
    detail: joinSentences(
      providers === ""
        ? localize("The test runs, and its missing calls are sent to their providers with your key.")
        : localize(
            "The test runs, and its missing calls are sent to {0} with your key.",
            makeVisibleLine(providers),
          ),
      known.length === 0
        ? localize("How many calls it makes is not known yet.")
        : localizeCount(known.length, "{0} missing call is known.", "{0} missing calls are known."),
      hasUnknown
        ? localize("The cost is not known.")
        : localize("The estimated cost is {0}.", formatDollars(cost)),
      localize("The run stops after {0}.", formatLimits(limits).join(localize(" or "))),
      localize("You review the new recordings afterwards."),
    ),
    limits,
  };
}

function chooseLimits({ maxCalls, maxCostUsd }: RecordingTask, project: AgentProject): Limits {
  return project.applyLimits({ calls: maxCalls, costUsd: maxCostUsd });
}

/** A damaged recording is replaced; other calls are recorded. */
function chooseKeys(
  { onlyThisCall }: RecordingTask,
  miss: OpenMiss | undefined,
): ReadonlyMap<Key, Mode> | undefined {
  if (miss?.broken !== undefined) return new Map([[miss.key, "refresh"]]);
  return onlyThisCall && miss !== undefined ? new Map([[miss.key, "record"]]) : undefined;
}

export interface WrittenReply {
  readonly miss: string;
  readonly text: string;
  readonly toolCalls?: ReplyDraft["toolCalls"] | undefined;
}

/** Adds a recording with a reply that the agent wrote. It is new until a person accepts it. */
export async function writeReply(written: WrittenReply, { project }: CallContext): Promise<ResultText> {
  const { deck } = project;
  const { found, miss } = await findAnswerableMiss(written.miss, project);
  const test = pickDefined({ test: found.test });
  const recording = await deck.admit({ ...deck.compose(miss, createDraft(written)), ...test });
  const { entry } = await deck.store.save(recording, miss.number);
  await project.markNew({ entry, recordedAt: Date.now(), ...test });
  return new ResultText()
    .line(`The reply is recorded. It waits for the user's review. next: ${formatToolCall(RUN, found)}`)
    .quote("recording", entry);
}

export async function createWriteQuestion(
  written: WrittenReply,
  { project }: CallContext,
): Promise<ApprovalRequest> {
  const { found, miss } = await findAnswerableMiss(written.miss, project);
  project.deck.compose(miss, createDraft(written));
  const calls = (written.toolCalls ?? []).map(({ name, arguments: json }) => `${name}(${json})`);
  return {
    title: localize('Record a reply that the agent wrote for "{0}"?', shorten(found.label, 100)),
    detail: [written.text, ...calls].map((text) => shorten(text, 600)).join("\n"),
  };
}

const createDraft = ({ text, toolCalls }: WrittenReply): ReplyDraft => ({
  text,
  ...pickDefined({ toolCalls }),
});

/** @throws ToolProblem if its request is not known, or a recording has answered it meanwhile */
async function findAnswerableMiss(
  id: string,
  project: AgentProject,
): Promise<{ readonly found: OpenMiss; readonly miss: Miss }> {
  const found = await findMiss(id, project);
  const { miss } = found;
  if (miss === undefined)
    throw new ToolProblem(
      "The request of this call is not known.",
      `${formatToolCall(RUN, found)} makes it again.`,
    );
  if (miss.cacheFile !== undefined)
    throw new ToolProblem("MetaGPT's own cache keeps the answer to this call.", "Record its test.");
  const { entry } = createRecordingAddress(miss.provider, miss.key, miss.number ?? 1);
  if (project.deck.store.takes(miss.provider, miss.key).some((take) => take.entry === entry))
    throw new ToolProblem("A recording answers this call now.", `${formatToolCall(RUN, found)} replays it.`);
  return { found, miss };
}

/** Adds rules under which a missing call matches its nearest recording. */
export async function addRule(
  { miss: id }: { readonly miss: string },
  { project }: CallContext,
): Promise<ResultText> {
  const { found, plan } = await findMatchingPlan(id, project);
  const renamed = await project.addRules(plan.rules.map(({ rule }) => rule));
  return new ResultText().line(
    `${plan.rules.length} added to tapedeck.jsonc, ${renamed} recordings renamed. next: ${formatToolCall(RUN, found)}`,
  );
}

export async function createRuleQuestion(
  { miss: id }: { readonly miss: string },
  { project }: CallContext,
): Promise<ApprovalRequest> {
  const { plan } = await findMatchingPlan(id, project);
  const { message, detail } = createRulesQuestion(plan);
  return { title: message, detail };
}

/** @throws ToolProblem if no safe rules make the call match */
async function findMatchingPlan(
  id: string,
  project: AgentProject,
): Promise<{ readonly found: OpenMiss; readonly plan: RulesPlan }> {
  const found = await findMiss(id, project);
  const plan = await planRulesForMiss(found, project);
  if (isSolvedBy(plan)) return { found, plan };
  throw new ToolProblem(
    "No rule for values that change on every run makes this call match its nearest recording.",
    `Its content or a setting differs, or a rule would give different requests the same reply. ${formatToolCall("tapedeck_explain_miss", found)} has the differences.`,
  );
}

/** @throws ToolProblem if it names no test of the project */
async function findNamedTest(
  { miss: id, file, test = [] }: NamedTest,
  project: AgentProject,
): Promise<{ readonly test: TestRef; readonly miss?: OpenMiss }> {
  if (id === undefined)
    return { test: { file: await resolveTestFile(file ?? "", project.root), name: test } };
  const miss = await findMiss(id, project);
  const own = getRunnableTest(miss);
  if (own === undefined)
    throw new ToolProblem(
      "No test is known to make this call.",
      `Name the file of the test, or ask the user to run the program with --mode record.`,
    );
  return { test: { ...own, file: await resolveTestFile(own.file, project.root) }, miss };
}

const NOTHING_RAN =
  "No test ran: the file has no test with these titles. Run the whole file to see its tests.";

/** Maximum characters of a test's output. */
const MOST_OUTPUT = 1_500;

function formatResult({
  hasPassed,
  isEmpty = false,
  outcomes,
  missing,
  problems,
  output,
}: TestRunResult): ResultText {
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${count ?? 0} ${outcome}`);
  const result = hasPassed ? "The test passed." : "The test failed.";
  const text = new ResultText().line(
    `${isEmpty ? NOTHING_RAN : result} Calls: ${counts.join(", ") || "none reached Tapedeck"}.`,
  );
  const [first] = missing;
  if (first !== undefined) {
    addMisses(text, missing);
    text.line(`next: ${formatToolCall("tapedeck_explain_miss", first)}`);
  }
  for (const { what, why, fix } of problems.slice(0, 5))
    text.quote("problem", [what, why, fix].join("\n"), 500);
  // The output repeats what is known of a missing call.
  if (!hasPassed && first === undefined && output.trim() !== "")
    text.quote("output", output.trim().slice(-MOST_OUTPUT), MOST_OUTPUT);
  return text;
}

export const formatSubject = ({ miss, file, test = [] }: NamedTest): string =>
  miss ?? [file, ...test].join(" › ");

/** Folders whose files are never run as tests: packages, and hidden files of programs. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.[^/]+)(?:\/|$)/;

/**
 * Returns a test file as a path relative to the project, with "/" between segments. The file must be in the project,
 * also after links were followed.
 * @throws ToolProblem for any other file
 */
async function resolveTestFile(file: string, root: string): Promise<string> {
  const path = resolve(root, file);
  const inside = getPathInside(root, path);
  const found = await stat(path).catch(() => undefined);
  if (isTestPath(inside) && found?.isFile() === true && found.size > 0) {
    const target = getPathInside(await realpath(root), await realpath(path));
    if (isTestPath(target)) return inside;
  }
  throw new ToolProblem(
    "This is not a test file of the project.",
    "Use the path of a test file relative to the project folder, as tapedeck_list_misses shows it.",
  );
}

const isTestPath = (path: string | undefined): path is string => path !== undefined && !LEFT_OUT.test(path);
