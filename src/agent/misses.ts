import { ToolProblem } from "./tool-problem.ts";
import { isRunByTests, getTestId, formatTestPlace, formatTestTitle } from "../core/call/test-names.ts";
import type { TestRef } from "../core/call/call.ts";
import { formatCost, type RecordedCost } from "../core/call/spending.ts";
import { formatRule } from "../core/call/rule-text.ts";
import type { RulesPlan } from "../core/match/rules/plan-rules.ts";
import {
  getMissId,
  isMissNamed,
  type AgentProject,
  type CallContext,
  type OpenMiss,
} from "./agent-project.ts";
import { ResultText } from "./result-text.ts";
import { RUN, formatToolCall } from "./tool-names.ts";

/** Maximum number of misses in one result. */
const MOST_LISTED = 20;
/** Maximum number of differences that are spelled out. */
const MOST_DIFFERENCES = 5;

export async function listMisses(
  { file }: { readonly file?: string | undefined },
  { project }: CallContext,
): Promise<ResultText> {
  const all = (await project.missing()).filter(({ test }) => file === undefined || test?.file === file);
  const text = new ResultText();
  const [first] = all;
  if (first === undefined)
    return text.line(`No call is missing in the last runs. ${RUN} runs a test in strict mode.`);
  text.line(
    `${all.length} missing, newest first. ${formatToolCall("tapedeck_explain_miss", first)} explains one.`,
  );
  addMisses(text, all);
  return text;
}

/** Adds one entry for each miss: its id, what it is, and its test. */
export function addMisses(text: ResultText, misses: readonly OpenMiss[]): void {
  for (const miss of misses.slice(0, MOST_LISTED)) {
    text.line(
      `miss ${getMissId(miss)}: ${CAUSES[guessCause(miss)]}${miss.count > 1 ? `, ${miss.count} times` : ""}`,
    );
    text.quote("call", `${formatCall(miss)} ${miss.label}`, 100);
    if (miss.test !== undefined) text.quote("test", formatTest(miss.test), 120);
  }
  const more = misses.length - MOST_LISTED;
  if (more > 0) text.line(`${more} more are not listed.`);
}

/** Explains a miss: what differs, which rules apply, what would record it, and which tool to call next. */
export async function explainMiss(
  { miss: id }: { readonly miss: string },
  { project }: CallContext,
): Promise<ResultText> {
  const found = await findMiss(id, project);
  const plan = await planRulesForMiss(found, project);
  const cause: Cause = isSolvedBy(plan) ? "volatile" : guessCause(found);
  const text = new ResultText();
  text.line(`miss ${getMissId(found)}: ${CAUSES[cause]}. ${ADVICE[cause]}`);
  text.line(`next: ${suggestNextStep(found, cause, project)}`);
  text.quote("call", `${formatCall(found)} ${found.label}`, 160);
  if (found.test !== undefined) text.quote("test", formatTest(found.test), 160);
  addDifferences(text, found);
  if (plan !== undefined) addRules(text, plan);
  addRulesInForce(text, found, project);
  if (cause !== "volatile")
    text.line(`Recording it sends 1 call, ${formatCost(await estimateCost(found, project))}.`);
  return text;
}

/** Finds a miss by its id. @throws ToolProblem if it is not missing any more */
export async function findMiss(id: string, project: AgentProject): Promise<OpenMiss> {
  const found = (await project.missing()).find((one) => isMissNamed(one, id));
  if (found !== undefined) return found;
  throw new ToolProblem(
    "No missing call has this id.",
    "tapedeck_list_misses lists those that are missing now. A call that was recorded meanwhile is no longer missing.",
  );
}

/** Plans rules under which a miss matches its nearest recording; undefined if rules cannot apply to it. */
export async function planRulesForMiss(
  { miss, again, at }: OpenMiss,
  { deck }: AgentProject,
): Promise<RulesPlan | undefined> {
  if (miss?.nearest === undefined || miss.cacheFile !== undefined || miss.number !== undefined)
    return undefined;
  return deck.planRules([{ miss, times: 1, at, again }]);
}

type Cause = "new" | "take" | "volatile" | "changed" | "broken" | "cache" | "unknown";

const CAUSES: Readonly<Record<Cause, string>> = {
  new: "new call",
  take: "identical call without its own recording",
  volatile: "values that change on every run",
  changed: "changed request",
  broken: "unreadable recording",
  cache: "not in MetaGPT's cache",
  unknown: "not recorded",
};

const ADVICE: Readonly<Record<Cause, string>> = {
  new: "No similar call is recorded.",
  take: "The test makes this call more often than it was recorded.",
  volatile: "A rule makes it match its recording; nothing is sent.",
  changed:
    "If the code is not meant to change this request, correct the code. If it is, record the call. Do not weaken the test.",
  broken: "The file of the recording is damaged. Restore it from version control, or record the call again.",
  cache: "Its test writes the entry when it is recorded.",
  unknown: "Run its test for the differences.",
};

/** Returns the cause as far as it is known without reading recordings. */
function guessCause({ miss, broken }: OpenMiss): Cause {
  if (broken !== undefined) return "broken";
  if (miss === undefined) return "unknown";
  if (miss.cacheFile !== undefined) return "cache";
  if (miss.number !== undefined) return "take";
  return miss.nearest === undefined ? "new" : "changed";
}

/**
 * Whether safe rules make the miss of a plan match its nearest recording. A rule for a setting that was edited would hide
 * the edit.
 */
export const isSolvedBy = (plan: RulesPlan | undefined): plan is RulesPlan =>
  plan !== undefined &&
  plan.rules.length > 0 &&
  plan.matched === plan.misses &&
  plan.rules.every(({ isVolatile }) => isVolatile);

function suggestNextStep(miss: OpenMiss, cause: Cause, project: AgentProject): string {
  if (cause === "volatile") return formatToolCall("tapedeck_add_rule", miss);
  if (cause === "unknown") return formatToolCall(RUN, miss);
  const isWritable = canWriteReply(miss, project);
  if (getRunnableTest(miss) === undefined) {
    const ask = isWritable ? `${formatToolCall("tapedeck_write_reply", miss)}, or ask` : "Ask";
    return `No test makes this call, so no tool can record it. ${ask} the user to run the program with --mode record.`;
  }
  const only = isWritable ? " Without a key for the provider: tapedeck_write_reply." : "";
  return `${formatToolCall("tapedeck_record", miss)}.${only}`;
}

/** Whether a reply can be written for a call: not in place of a damaged recording, for a session, or in MetaGPT's cache. */
function canWriteReply({ miss, broken }: OpenMiss, { deck }: AgentProject): boolean {
  if (miss === undefined || broken !== undefined || miss.cacheFile !== undefined) return false;
  try {
    deck.compose(miss, { text: "" });
    return true;
  } catch {
    return false;
  }
}

/** Returns the test that makes the call again; undefined if no test runner can run it. */
export function getRunnableTest({ test }: Pick<OpenMiss, "test">): TestRef | undefined {
  return test !== undefined && isRunByTests({ runner: "", ...test }) ? test : undefined;
}

export function filterMisses(test: TestRef, misses: readonly OpenMiss[]): readonly OpenMiss[] {
  if (test.name.length === 0) return misses.filter((one) => one.test?.file === test.file);
  return misses.filter((one) => getTestId(one.test) === getTestId(test));
}

/** Returns the estimated cost of recording a miss: that of its nearest recording. */
export async function estimateCost({ miss }: OpenMiss, { deck }: AgentProject): Promise<RecordedCost> {
  if (miss?.nearest === undefined) return "unknown";
  try {
    return deck.describe(await deck.store.read(miss.nearest.entry)).cost ?? "unknown";
  } catch {
    return "unknown";
  }
}

const formatCall = ({ provider, operation, model }: OpenMiss): string =>
  [provider, operation, model].filter((part) => part !== undefined).join(" ");

export const formatTest = (test: TestRef): string =>
  `${formatTestPlace(test)} ${formatTestTitle(test)}`.trimEnd();

function addDifferences(text: ResultText, { miss, note, broken }: OpenMiss): void {
  if (broken !== undefined) text.quote("problem", broken);
  if (note !== undefined && miss === undefined) text.quote("differs", note, 300);
  if (miss?.number !== undefined)
    text.line(`It is identical call ${miss.number}; the last recorded one is ${miss.last ?? 0}.`);
  const { nearest } = miss ?? {};
  if (nearest === undefined) return;
  text.quote("nearest", `${nearest.entry}, recorded ${nearest.recordedAt.slice(0, 10)}`);
  for (const difference of nearest.differences.slice(0, MOST_DIFFERENCES))
    text.quote("differs", difference.text, 160);
  const more = nearest.differences.length - MOST_DIFFERENCES;
  if (more > 0) text.line(`${more} more differences; tapedeck_compare shows them.`);
}

function addRules(text: ResultText, { rules, left, refused }: RulesPlan): void {
  for (const { rule, isVolatile } of rules.slice(0, 3))
    if (isVolatile) text.quote("possible rule", formatRule(rule));
  for (const { place, varies } of left.slice(0, 3))
    text.quote(
      "no rule covers",
      varies ? `${place} (changes on every run: set "freeze" in tapedeck.jsonc, or sort a set)` : place,
    );
  if (refused.length > 0)
    text.line("A rule was refused, because different requests would get the same reply.");
}

/** Adds how the project matches the call: by origin, and by its rules. */
function addRulesInForce(text: ResultText, { provider, operation }: OpenMiss, { deck }: AgentProject): void {
  const { normalize, origins } = deck.project.current.config;
  if (origins === "off") text.line("Matching by origin is off, so ids and times of this machine differ.");
  const applied = normalize.filter(
    (rule) => (rule.provider?.includes(provider) ?? true) && (rule.operation?.includes(operation) ?? true),
  );
  const [first] = applied;
  if (first !== undefined)
    text.quote(
      applied.length === 1 ? "rule in force" : `${applied.length} rules in force, first`,
      formatRule(first),
      120,
    );
}
