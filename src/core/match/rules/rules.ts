import type { RequestBody } from "../../protocol/protocol.ts";
import type { JsonTree } from "../../json/json-tree.ts";
import type { Normaliser, KeyedRequest } from "../key/key.ts";
import type { IgnoreRule, NormaliseRule, ReplaceRule, RuleScope } from "./rule.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { CompilePattern } from "./patterns.ts";
import { changeAt, changeTexts, readPointerPattern } from "./pointer-pattern.ts";

/**
 * Applies rules to JSON bodies, one after the other, each to what the one before left, and says which headers take
 * part. Bodies that are not JSON, methods, paths and queries stay as they are. Undefined where there are no rules.
 * @throws TapedeckError `tapedeck_usage` for a pattern or pointer that is none.
 */
export function compileRules(
  rules: readonly NormaliseRule[],
  compile: CompilePattern,
): Normaliser | undefined {
  if (rules.length === 0) return undefined;
  const ofBodies = rules.filter((rule) => "ignore" in rule || "replace" in rule);
  const ofHeaders = rules.filter((rule) => "header" in rule || "ignoreHeader" in rule);
  const compiled = ofBodies.map((rule) => ({ rule, apply: compileRule(rule, compile) }));
  return {
    body(request): RequestBody {
      const { body } = request;
      if (body.kind !== "json") return body;
      let tree = body.tree;
      for (const { rule, apply } of compiled) if (isFor(rule, request)) tree = apply(tree);
      return tree === body.tree ? body : { ...body, tree };
    },
    headers(request) {
      const own = ofHeaders.filter((rule) => isFor(rule, request));
      if (own.length === 0) return undefined;
      const counted = own.flatMap((rule) => ("header" in rule ? [rule.header] : []));
      const ignored = own.flatMap((rule) => ("ignoreHeader" in rule ? [rule.ignoreHeader] : []));
      return { counted: new Set(counted), ignored: new Set(ignored) };
    },
  };
}

function isFor(
  { provider, operation }: RuleScope,
  request: Pick<KeyedRequest, "provider" | "operation">,
): boolean {
  return (provider?.includes(request.provider) ?? true) && (operation?.includes(request.operation) ?? true);
}

function compileRule(rule: IgnoreRule | ReplaceRule, compile: CompilePattern): (tree: JsonTree) => JsonTree {
  if ("ignore" in rule) {
    const steps = stepsOf(rule.ignore);
    return (tree) => changeAt(tree, steps, () => undefined) ?? tree;
  }
  const pattern = compile(rule.replace);
  const named = NAMED_PATTERNS[rule.replace];
  const by = rule.with ?? named?.by ?? "";
  const isNumbered = rule.with === undefined && named?.numbered === true;
  const steps = rule.at === undefined ? [] : stepsOf(rule.at);
  return (tree) => {
    const replacement = isNumbered ? createNumbering(by) : by;
    const replaceIn = (value: JsonTree): JsonTree =>
      changeTexts(value, (text) => pattern.replaceIn(text, replacement));
    return changeAt(tree, steps, replaceIn) ?? tree;
  };
}

/** Gives the same text for the same match, and another for another one. */
function createNumbering(by: string): (found: string) => string {
  const numbers = new Map<string, number>();
  return (found) => {
    const number = numbers.get(found) ?? numbers.size + 1;
    numbers.set(found, number);
    return `${by}${number}`;
  };
}

function stepsOf(pointer: string): readonly string[] {
  const steps = readPointerPattern(pointer);
  if (steps === undefined) throw new Error(`${pointer} is no JSON pointer`);
  return steps;
}
