import type { ConsideredRule } from "../../core/match/rules/consider-rule.ts";
import { ruleText } from "../../core/view/rule-text.ts";

/** What a person reads before a rule is added, or why none is. */
export interface RuleQuestion {
  readonly message: string;
  readonly detail: string;
  /** Whether there is a rule to add. */
  readonly mayAdd: boolean;
}

/** How many recordings a question names. */
const NAMED = 8;

export function ruleQuestion(considered: ConsideredRule | undefined): RuleQuestion {
  if (considered === undefined)
    return {
      message: "No single rule makes this call the nearest recording's.",
      detail:
        "They differ in more than one place, or outside of a JSON body. Record the call, or write rules in tapedeck.jsonc by hand.",
      mayAdd: false,
    };
  const rule = ruleText(considered.rule);
  if (considered.collision)
    return {
      message: "Ignoring this difference would make one call of two recordings.",
      detail: `Under ${rule} these two, of different requests, would answer the same call:\n${considered.collision.join("\n")}`,
      mayAdd: false,
    };
  return {
    message: "Add this rule to tapedeck.jsonc?",
    detail: `${rule}\n\n${touchedText(considered)}`,
    mayAdd: true,
  };
}

function touchedText({ touched, looked }: ConsideredRule): string {
  if (touched.length === 0)
    return `Of ${looked} recordings of this provider it touches the nearest one alone.`;
  const more = touched.length > NAMED ? [`and ${touched.length - NAMED} more`] : [];
  const one = touched.length === 1;
  return [
    `It touches ${touched.length} other ${one ? "recording" : "recordings"} as well, each still apart from every other:`,
    ...touched.slice(0, NAMED),
    ...more,
  ].join("\n");
}
