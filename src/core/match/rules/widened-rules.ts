import { groupBy } from "../../group-by.ts";
import type { NormaliseRule } from "./rule.ts";

type Rules = readonly NormaliseRule[];

/**
 * What is volatile for one provider, or in one place, and for another is one rule, for both: with the narrower ones that
 * it stands for.
 */
export function widenedRules(proposed: Rules): ReadonlyMap<NormaliseRule, Rules> {
  const all = [...new Map(proposed.map((rule) => [JSON.stringify(rule), rule])).values()];
  const groups = groupBy(all, subjectOf);
  return new Map(groups.map((rules) => [widest(rules), rules]));
}

function subjectOf(rule: NormaliseRule): string {
  if ("replace" in rule) return rule.replace;
  return "ignore" in rule ? `ignore ${rule.ignore}` : JSON.stringify(rule);
}

function widest(rules: Rules): NormaliseRule {
  const [first, ...more] = rules;
  if (first === undefined) throw new Error("a group without a member");
  if (more.length === 0) return first;
  const provider = [...new Set(rules.flatMap((rule) => rule.provider ?? []))];
  const operation = [...new Set(rules.flatMap((rule) => rule.operation ?? []))];
  const isOnePlace = new Set(rules.map((rule) => ("at" in rule ? rule.at : undefined))).size === 1;
  if (isOnePlace || !("replace" in first)) return { ...first, provider, operation };
  return { replace: first.replace, provider, operation };
}

interface Accepting {
  /** Entries of two recordings that rules would make one call of. */
  readonly collision: (rules: Rules) => readonly [string, string] | undefined;
  /** Whether rules would take out of a call the date that it is about. */
  readonly isAboutDates: (rules: Rules) => boolean;
  readonly refuse: (rule: NormaliseRule, collision: readonly [string, string]) => void;
}

/** Those of which none does harm beside the ones before; where a wide one does, the narrower ones that it stands for. */
export function acceptRules(
  rules: Rules,
  widened: ReadonlyMap<NormaliseRule, Rules>,
  { collision, isAboutDates, refuse }: Accepting,
): Rules {
  const accepted: NormaliseRule[] = [];
  const accept = (rule: NormaliseRule): void => {
    const [all, narrow] = [[...accepted, rule], widened.get(rule) ?? []];
    const pair = collision(all);
    if (pair === undefined && !isAboutDates(all)) accepted.push(rule);
    else if (narrow.length > 1) narrow.forEach(accept);
    else if (pair !== undefined) refuse(rule, pair);
  };
  rules.forEach(accept);
  return accepted;
}
