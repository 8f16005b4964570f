import { localize } from "../base/localize.ts";
import type { LeftPlace, RefusedRule, RulesPlan } from "../match/rules/plan-rules.ts";
import { formatCount, localizeCount } from "../base/plural.ts";
import { formatRule } from "../call/rule-text.ts";
import { makeVisibleLine } from "../base/visible.ts";

/** The confirmation message before rules are added, or the reason why none are. */
export interface RulesQuestion {
  readonly message: string;
  readonly detail: string;
  /** The label of the button that adds them; undefined if there are no rules to add. */
  readonly add?: string;
}

export function createRulesQuestion(plan: RulesPlan): RulesQuestion {
  const { rules, misses, matched } = plan;
  if (rules.length === 0)
    return {
      message: noRuleText(misses),
      detail: [...remarks(plan), byHand()].join("\n\n"),
    };
  const isOne = rules.length === 1;
  const shown = rules.map(({ rule }) => formatRule(rule)).join("\n");
  return {
    message: localizeCount(
      rules.length,
      "Add this rule to tapedeck.jsonc?",
      "Add these {0} rules to tapedeck.jsonc?",
    ),
    detail: [
      shown,
      ...(misses > 1
        ? [localize("Matches {0} of {1} missing calls.", formatCount(matched), formatCount(misses))]
        : []),
      ...remarks(plan),
    ].join("\n\n"),
    add: isOne ? localize("Add Rule") : localize("Add Rules"),
  };
}

const byHand = (): string => localize("Record the calls, or write a rule in tapedeck.jsonc by hand.");

/** Returns a rules plan as lines for a terminal. */
export function formatRulesPlan(plan: RulesPlan): readonly string[] {
  const { rules, misses, matched } = plan;
  const head =
    rules.length === 0
      ? noRuleText(misses)
      : localizeCount(
          rules.length,
          "{0} rule would match {1} of {2} missing calls:",
          "{0} rules would match {1} of {2} missing calls:",
          formatCount(matched),
          formatCount(misses),
        );
  return [
    head,
    ...rules.map(
      ({ rule, misses: needing }) =>
        `    ${localize("{0} ({1})", makeVisibleLine(formatRule(rule)), missCount(needing))}`,
    ),
    ...remarks(plan).flatMap((remark) => remark.split("\n").map((line) => `    ${makeVisibleLine(line)}`)),
  ];
}

const noRuleText = (misses: number): string =>
  localizeCount(
    misses,
    "No rule is proposed for {0} missing call.",
    "No rule is proposed for {0} missing calls.",
  );

const missCount = (misses: number): string => localizeCount(misses, "{0} miss", "{0} misses");

/** Maximum number of places that are named. */
const NAMED = 8;

function remarks({ rules, covered, differences, left, refused, renamed }: RulesPlan): readonly string[] {
  const partly =
    rules.length === 0
      ? localize("No rule covers:")
      : localize("{0} of {1} differences are covered. Not covered:", covered, formatCount(differences));
  const more =
    left.length > NAMED
      ? [localizeCount(left.length - NAMED, "and {0} more field", "and {0} more fields")]
      : [];
  return [
    ...(left.length === 0 ? [] : [[partly, ...left.slice(0, NAMED).map(leftText), ...more].join("\n")]),
    ...refused.map(refusedText),
    ...(rules.length > 0 && renamed > 0
      ? [
          localizeCount(
            renamed,
            "{0} other recording will be renamed and stays separate.",
            "{0} other recordings will be renamed and stay separate.",
          ),
        ]
      : []),
  ];
}

function leftText({ place, misses, varies }: LeftPlace): string {
  const count = missCount(misses);
  return varies
    ? localize(
        '  {0} ({1}; it changes with each run: set "freeze" in tapedeck.jsonc, or sort a set)',
        place,
        count,
      )
    : `  ${localize("{0} ({1})", place, count)}`;
}

function refusedText({ rule, recording, other }: RefusedRule): string {
  return other === undefined
    ? localize(
        "Not proposed: with {0}, {1} would answer a call with a different request.",
        formatRule(rule),
        recording,
      )
    : localize(
        "Not proposed: with {0}, {1} and {2} would answer the same call, but their requests differ.",
        formatRule(rule),
        recording,
        other,
      );
}
