import type { RequestBody } from "../../base/read-body.ts";
import { isJsonArray, isJsonObject, splitPointer, type JsonTree } from "../../base/json/json-tree.ts";
import type { Normalizer } from "../key/key.ts";
import type { KeyedRequest } from "../../cassette/recorded-request.ts";
import type { IgnoreRule, NormalizeRule, ReplaceRule, RuleScope } from "../../call/rule.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { CompilePattern } from "./patterns.ts";

/**
 * Compiles rules. They are applied to JSON bodies in their order, and determine which headers are part of the key. Other
 * bodies, methods, paths, and queries are not changed. Undefined if there are no rules.
 * @throws TapedeckError `tapedeck_usage` for an invalid pattern or pointer.
 */
export function compileRules(
  rules: readonly NormalizeRule[],
  compile: CompilePattern,
): Normalizer | undefined {
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
export function createNumbering(by: string): (found: string) => string {
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
/** Splits a JSON pointer, in which `*` matches any index or name, into its steps; undefined if it is invalid. */
export function readPointerPattern(text: string): readonly string[] | undefined {
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return splitPointer(text);
}

/** What becomes of a value; undefined takes it out. */
type Change = (value: JsonTree) => JsonTree | undefined;

/** Changes the values at a place, as far as there are any. What does not change stays the same object. */
export function changeAt(tree: JsonTree, steps: readonly string[], change: Change): JsonTree | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(tree);
  const inner = (value: JsonTree, name: string): JsonTree | undefined =>
    step === "*" || step === name ? changeAt(value, rest, change) : value;
  return changeChildren(tree, inner);
}

export function changeTexts(tree: JsonTree, change: (text: string) => string): JsonTree {
  if (typeof tree === "string") return change(tree);
  return changeChildren(tree, (value) => changeTexts(value, change));
}

function changeChildren(
  tree: JsonTree,
  change: (value: JsonTree, name: string) => JsonTree | undefined,
): JsonTree {
  if (isJsonArray(tree)) {
    const changed = tree.map((value, index) => change(value, String(index)));
    return isSame(changed, tree) ? tree : changed.filter((value) => value !== undefined);
  }
  if (!isJsonObject(tree)) return tree;
  const { members } = tree;
  const changed = members.map(([name, value]) => change(value, name));
  if (changed.every((value, index) => value === members[index]?.[1])) return tree;
  return {
    members: members.flatMap(([name], index) => {
      const value = changed[index];
      return value === undefined ? [] : [[name, value] as const];
    }),
  };
}

function isSame(changed: readonly (JsonTree | undefined)[], before: readonly JsonTree[]): boolean {
  return changed.every((value, index) => value === before[index]);
}
