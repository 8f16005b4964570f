import type { NormalizeRule } from "./rule.ts";

/** Returns a rule as in `tapedeck.jsonc`, on one line; a list with one name is written as the name. */
export function formatRule(rule: NormalizeRule): string {
  return JSON.stringify(convertRuleToJson(rule)).replaceAll(/([,:])(?=["[])/g, "$1 ");
}

export function convertRuleToJson(rule: NormalizeRule): Readonly<Record<string, unknown>> {
  const { provider, operation, ...what } = rule;
  return {
    ...what,
    ...(provider && { provider: oneOrAll(provider) }),
    ...(operation && { operation: oneOrAll(operation) }),
  };
}

function oneOrAll(names: readonly string[]): string | readonly string[] {
  const [only, another] = names;
  return only !== undefined && another === undefined ? only : names;
}
