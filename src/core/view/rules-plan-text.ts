import type { PlannedRule, RefusedRules, RulesPlan } from "../match/rules/plan-rules.ts";
import { plural } from "../plural.ts";
import { ruleText, rulesText } from "./rule-text.ts";
import { visibleLine } from "./visible.ts";

/** What a person reads before rules are added, or why none are. */
export interface RulesQuestion {
  readonly message: string;
  readonly detail: string;
  /** What the button says that adds them; undefined where there is nothing to add. */
  readonly add?: string;
}

/** How many recordings a question names. */
const NAMED = 8;

export function rulesQuestion(plan: RulesPlan): RulesQuestion {
  const { rules, misses, refused } = plan;
  const [only, another] = rules;
  if (only === undefined) {
    const calls =
      misses === 1 ? "this call the nearest recording's" : "these calls their nearest recordings'";
    if (refused.length === 0)
      return { message: `No rules make ${calls}.`, detail: warnings(plan).join("\n\n") || NONE };
    const what = misses === 1 ? "this difference" : "these differences";
    return {
      message: `Ignoring ${what} would make one call of two recordings.`,
      detail: refused.map(refusedText).join("\n\n"),
    };
  }
  const isOne = another === undefined;
  const details = [
    ...(misses > 1
      ? [`${plan.matched} of ${plural(misses, "missing call")} match under ${isOne ? "it" : "them"}.`]
      : []),
    ...rules.map((rule) => `${ruleText(rule.rule)}\n${touchedText(rule, plan.looked)}`),
    ...refused.map(refusedText),
    ...warnings(plan),
  ];
  return {
    message: `Add ${isOne ? "this rule" : `these ${rules.length} rules`} to tapedeck.jsonc?`,
    detail: details.join("\n\n"),
    add: isOne ? "Add Rule" : "Add Rules",
  };
}

const NONE =
  "They differ in what they ask, or outside of a JSON body. Record the calls, or write rules in tapedeck.jsonc by hand.";

function touchedText({ touched }: PlannedRule, looked: number): string {
  if (touched.length === 0)
    return `Of ${plural(looked, "recording")} of this provider it touches the nearest alone.`;
  const more = touched.length > NAMED ? [`and ${touched.length - NAMED} more`] : [];
  const others = plural(touched.length, "other recording");
  return [
    `It touches ${others} as well, each still apart from every other:`,
    ...touched.slice(0, NAMED),
    ...more,
  ].join("\n");
}

function refusedText({ rules, collision }: RefusedRules): string {
  return `Under ${rulesText(rules)} these two, of different requests, would answer the same call:\n${collision.join("\n")}`;
}

/** What rules do not mend, and what they would mend too much. */
function warnings({ merged, varying: { words, order }, dated }: RulesPlan): readonly string[] {
  const remedySentence = (count: number, what: string, remedy: string): string =>
    `${plural(count, "missed call")} said ${what} when the command ran again. No rule is proposed: ${remedy}.`;
  return [
    ...(words > 0
      ? [remedySentence(words, "other words", "give what draws them a fixed seed, and record again")]
      : []),
    ...(order > 0
      ? [remedySentence(order, "the same words in another order", "sort them, and record again")]
      : []),
    ...datedText(dated),
    ...(merged > 0
      ? [
          `Missing calls that differ would be one call under them: ${plural(merged, "group")}. Look at these first.`,
        ]
      : []),
  ];
}

function datedText({ calls, first: [recorded, asked] = ["", ""] }: RulesPlan["dated"]): readonly string[] {
  if (calls === 0) return [];
  const [what, did] = calls === 1 ? ["1 missed call is", "It"] : [`${calls} missed calls are`, "They"];
  return [
    `${what} about another date or time than was recorded ("${visibleLine(asked)}" for "${visibleLine(recorded)}"). ${did} did not move with the calendar since, so no rule is proposed: record again, or write a rule by hand.`,
  ];
}

/** The same for a terminal, a line each. */
export function rulesPlanLines(plan: RulesPlan): readonly string[] {
  const { rules, matched, misses, refused } = plan;
  const head =
    rules.length === 0
      ? `No rules make missed calls match (${misses} missed).`
      : `${matched} of ${plural(misses, "missed call")} match under ${plural(rules.length, "rule")}:`;
  return [
    head,
    ...rules.map(({ rule, misses: needing, touched }) => {
      const also =
        touched.length === 0
          ? ""
          : `; touches ${plural(touched.length, "other recording")}, each still apart`;
      return `    ${visibleLine(ruleText(rule))} (${plural(needing, "miss", "misses")}${also})`;
    }),
    ...refused.map((one) => `    not proposed: ${visibleLine(refusedText(one))}`),
    ...warnings(plan).map((line) => `    ${line}`),
  ];
}
