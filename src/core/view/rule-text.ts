import type { Nearest } from "../call.ts";
import { readEntry } from "../cassette/address.ts";
import type { NormaliseRule } from "../match/rules/rule.ts";
import { shortKey } from "./names.ts";

/** A rule as it stands in `tapedeck.jsonc`, on one line; a list of one name is the name. */
export function ruleText(rule: NormaliseRule): string {
  return JSON.stringify(ruleJson(rule)).replaceAll(/([,:])(?=["[])/g, "$1 ");
}

/** A rule as it is written into the file. */
export function ruleJson(rule: NormaliseRule): Readonly<Record<string, unknown>> {
  const { provider, operation, ...what } = rule;
  return {
    ...what,
    ...(provider && { provider: oneOrAll(provider) }),
    ...(operation && { operation: oneOrAll(operation) }),
  };
}

/** What a miss says of the rule under which the nearest recording would match; undefined where there is none. */
export function proposalText({ proposal }: Pick<Nearest, "proposal">): string | undefined {
  if (proposal === undefined) return undefined;
  const rule = ruleText(proposal.rule);
  return proposal.collision === undefined
    ? `If that may differ: ${rule} under "normalise" in tapedeck.jsonc.`
    : `No rule is proposed: under ${rule}, the recordings ${proposal.collision.map(shortName).join(" and ")} would be one call.`;
}

function shortName(entry: string): string {
  const address = readEntry(entry);
  return "wrong" in address ? entry : shortKey(address.key);
}

function oneOrAll(names: readonly string[]): string | readonly string[] {
  const [only, another] = names;
  return only !== undefined && another === undefined ? only : names;
}
