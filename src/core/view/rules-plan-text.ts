import type { LeftPlace, RefusedRule, RulesPlan } from "../match/rules/plan-rules.ts";
import { countText, plural } from "../base/plural.ts";
import { ruleText } from "../call/rule-text.ts";
import { visibleLine } from "../base/visible.ts";

/** What a person reads before rules are added, or why none are. */
export interface RulesQuestion {
  readonly message: string;
  readonly detail: string;
  /** The label of the button that adds them; undefined where there is nothing to add. */
  readonly add?: string;
}

export function rulesQuestion(plan: RulesPlan): RulesQuestion {
  const { rules, misses, matched } = plan;
  const calls = misses === 1 ? "this missing call" : `these ${countText(misses)} missing calls`;
  if (rules.length === 0)
    return {
      message: `No rule is proposed for ${calls}.`,
      detail: [...remarks(plan), BY_HAND].join("\n\n"),
    };
  const isOne = rules.length === 1;
  const shown = rules.map(({ rule }) => ruleText(rule)).join("\n");
  return {
    message: `Add ${isOne ? "this rule" : `these ${rules.length} rules`} to tapedeck.jsonc?`,
    detail: [
      shown,
      ...(misses > 1
        ? [`${matched} of ${plural(misses, "missing call")} match under ${isOne ? "it" : "them"}.`]
        : []),
      ...remarks(plan),
    ].join("\n\n"),
    add: isOne ? "Add Rule" : "Add Rules",
  };
}

const BY_HAND = "Record the calls, or write a rule in tapedeck.jsonc by hand.";

/** The same for a terminal, a line each. */
export function rulesPlanLines(plan: RulesPlan): readonly string[] {
  const { rules, misses, matched } = plan;
  const head =
    rules.length === 0
      ? `No rule is proposed for ${plural(misses, "missed call")}.`
      : `${countText(matched)} of ${plural(misses, "missed call")} match under ${plural(rules.length, "rule")}:`;
  return [
    head,
    ...rules.map(
      ({ rule, misses: needing }) =>
        `    ${visibleLine(ruleText(rule))} (${plural(needing, "miss", "misses")})`,
    ),
    ...remarks(plan).flatMap((remark) => remark.split("\n").map((line) => `    ${visibleLine(line)}`)),
  ];
}

/** Maximum number of places that are named. */
const NAMED = 8;

function remarks({ rules, covered, differences, left, refused, renamed }: RulesPlan): readonly string[] {
  const partly =
    rules.length === 0
      ? "Nothing is proposed for"
      : `${covered} of ${plural(differences, "difference")} are covered. Not covered`;
  const more = left.length > NAMED ? [`and ${plural(left.length - NAMED, "more place")}`] : [];
  return [
    ...(left.length === 0 ? [] : [[`${partly}:`, ...left.slice(0, NAMED).map(leftText), ...more].join("\n")]),
    ...refused.map(refusedText),
    ...(rules.length > 0 && renamed > 0
      ? [`${plural(renamed, "other recording")} will be renamed, and each stays apart.`]
      : []),
  ];
}

function leftText({ place, misses, varies }: LeftPlace): string {
  const how = varies ? "; it changes with each run, so give what makes it a fixed seed" : "";
  return `  ${place} (${plural(misses, "miss", "misses")}${how})`;
}

function refusedText({ rule, recording, other }: RefusedRule): string {
  const both =
    other === undefined
      ? `the reply of ${recording} would answer a call that asks something else`
      : `these two recordings of different requests would answer the same call: ${recording} and ${other}`;
  return `Not proposed: under ${ruleText(rule)}, ${both}.`;
}
