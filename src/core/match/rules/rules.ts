import type { RequestBody } from "../../protocol/protocol.ts";
import type { JsonTree } from "../../json/json-tree.ts";
import type { KeyedRequest } from "../key/canonical.ts";
import type { Normaliser } from "../key/key.ts";
import type { NormaliseRule, RuleScope } from "./rule.ts";
import { NAMED_PATTERNS, type CompilePattern } from "./patterns.ts";
import { changeAt, changeTexts, readPointerPattern } from "./pointer-pattern.ts";

/**
 * Applies rules to JSON bodies, one after the other, each to what the one before left. Bodies that are not JSON,
 * methods, paths and queries stay as they are. Undefined where there are no rules.
 * @throws TapedeckError `tapedeck_usage` for a pattern or pointer that is none.
 */
export function compileRules(
  rules: readonly NormaliseRule[],
  compile: CompilePattern,
): Normaliser | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map((rule) => ({ rule, apply: compileRule(rule, compile) }));
  return (request): RequestBody => {
    const { body } = request;
    if (body.kind !== "json") return body;
    let tree = body.tree;
    for (const { rule, apply } of compiled) if (isFor(rule, request)) tree = apply(tree);
    return tree === body.tree ? body : { ...body, tree };
  };
}

function isFor({ provider, operation }: RuleScope, request: KeyedRequest): boolean {
  return (provider?.includes(request.provider) ?? true) && (operation?.includes(request.operation) ?? true);
}

function compileRule(rule: NormaliseRule, compile: CompilePattern): (tree: JsonTree) => JsonTree {
  if ("ignore" in rule) {
    const steps = stepsOf(rule.ignore);
    return (tree) => changeAt(tree, steps, () => undefined) ?? tree;
  }
  const pattern = compile(rule.replace);
  const by = rule.with ?? NAMED_PATTERNS[rule.replace]?.by ?? "";
  const replaceIn = (tree: JsonTree): JsonTree => changeTexts(tree, (text) => pattern.replaceIn(text, by));
  if (rule.at === undefined) return replaceIn;
  const steps = stepsOf(rule.at);
  return (tree) => changeAt(tree, steps, replaceIn) ?? tree;
}

function stepsOf(pointer: string): readonly string[] {
  const steps = readPointerPattern(pointer);
  if (steps === undefined) throw new Error(`${pointer} is no JSON pointer`);
  return steps;
}
