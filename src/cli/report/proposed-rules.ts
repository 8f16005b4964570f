import { groupBy } from "../../core/group-by.ts";
import type { NormaliseRule } from "../../core/match/rules/rule.ts";
import { ruleText } from "../../core/view/rule-text.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { RunReport } from "./run-report.ts";

interface ProposedRule {
  readonly rule: NormaliseRule;
  /** For how many missed calls it is, alone or with others. */
  readonly misses: number;
}

/** The rules that a run's misses propose, those of most misses first; none that would make one call of two recordings. */
export function proposedRules({ missed }: Pick<RunReport, "missed">): readonly ProposedRule[] {
  const proposed = missed
    .flatMap(({ calls }) => calls)
    .flatMap(({ event, times }) => {
      const proposal = event.miss?.nearest?.proposal;
      if (proposal === undefined || proposal.collision) return [];
      return proposal.rules.map((rule) => ({ rule, misses: times }));
    });
  return groupBy(proposed, ({ rule }) => ruleText(rule))
    .flatMap(([first, ...more]) =>
      first === undefined
        ? []
        : [{ ...first, misses: more.reduce((sum, one) => sum + one.misses, first.misses) }],
    )
    .toSorted((one, other) => other.misses - one.misses);
}

/** People read so many; programs get all. */
const SHOWN = 5;

/** What the report says of them: how many misses each rule is for. */
export function proposedRulesLines(report: RunReport): readonly string[] {
  const rules = proposedRules(report);
  if (rules.length === 0) return [];
  const lines = rules
    .slice(0, SHOWN)
    .map(
      ({ rule, misses }) => `    ${misses} of ${report.counts.miss} misses: ${visibleLine(ruleText(rule))}`,
    );
  const more = rules.length > SHOWN ? [`    and ${rules.length - SHOWN} more rules`] : [];
  const all = rules.length > 1 ? ["    Run it with --propose-rules to see and add the fewest for all."] : [];
  return [
    `If this difference does not matter, add to "normalise" in tapedeck.jsonc:`,
    ...lines,
    ...more,
    ...all,
  ];
}
