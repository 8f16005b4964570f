import type { RuleProposal } from "../exchange.ts";
import { isJsonArray, isJsonObject, type JsonTree } from "../wire/json-tree.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { KeyedRequest } from "./canonical.ts";
import { NAMED_PATTERNS, type CompilePattern } from "./patterns.ts";
import { compileRules, type NormaliseRule } from "./rules.ts";

/** A request as the rules of now leave it. */
export interface Candidate {
  readonly entry: string;
  readonly request: KeyedRequest;
}

export interface ProposalParts {
  readonly compile: CompilePattern;
  /** Other recorded requests that the rule could make one with these. */
  readonly others: readonly Candidate[];
}

/** So many places may differ before no rule is looked for. */
const PLACES = 64;

/**
 * The smallest rule under which two requests, which have different keys, would have the same one: a named pattern at
 * the one place where they differ, else wherever it is found, else the place left out. Undefined where one rule does
 * not do it. Refused, with the names of both, where it would also make one of two recordings of different requests.
 */
export function proposeRule(
  recorded: KeyedRequest,
  asked: KeyedRequest,
  { compile, others }: ProposalParts,
): RuleProposal | undefined {
  const places = differingPlaces(recorded, asked);
  if (places === undefined || places.length === 0 || places.length > PLACES) return undefined;
  let refused: RuleProposal | undefined;
  for (const rule of rulesFor(places)) {
    const scoped = { ...rule, provider: [asked.provider], operation: [asked.operation] };
    const textOf = textUnder(scoped, compile);
    if (textOf(recorded) !== textOf(asked)) continue;
    const collision = collisionAmong(others, textOf);
    if (collision === undefined) return { rule: scoped };
    refused ??= { rule: scoped, collision };
  }
  return refused;
}

/** Two recordings whose requests differ now and would not under a rule, if there are any. */
export function collisionAmong(
  candidates: readonly Candidate[],
  textOf: (request: KeyedRequest) => string,
): readonly [string, string] | undefined {
  const first = new Map<string, Candidate & { readonly now: string }>();
  for (const candidate of candidates) {
    const after = textOf(candidate.request);
    const now = textNow(candidate.request);
    const known = first.get(after);
    if (known === undefined) first.set(after, { ...candidate, now });
    else if (known.now !== now) return [known.entry, candidate.entry];
  }
  return undefined;
}

/** What tells requests apart under one more rule; for comparing only. */
export function textUnder(
  rule: NormaliseRule | undefined,
  compile: CompilePattern,
): (request: KeyedRequest) => string {
  const normalise = compileRules(rule === undefined ? [] : [rule], compile);
  return (request) => textNow(normalise ? { ...request, body: normalise(request) } : request);
}

function textNow({ provider, operation, method, path, body }: KeyedRequest): string {
  const text = body.kind === "json" ? canonicalJson(body.tree) : body.kind;
  return JSON.stringify([provider, operation, method, path]) + text;
}

function* rulesFor(places: readonly string[]): Generator<NormaliseRule> {
  const [only, another] = places;
  if (only !== undefined && another === undefined)
    for (const replace of Object.keys(NAMED_PATTERNS)) yield { replace, at: only };
  for (const replace of Object.keys(NAMED_PATTERNS)) yield { replace };
  if (only !== undefined && another === undefined) yield { ignore: only };
}

/** JSON pointers, in wire order; undefined where more than the JSON body differs. */
function differingPlaces(a: KeyedRequest, b: KeyedRequest): readonly string[] | undefined {
  if (a.method !== b.method || a.path !== b.path) return undefined;
  if (a.body.kind !== "json" || b.body.kind !== "json") return undefined;
  const places: string[] = [];
  collectPlaces([a.body.tree, b.body.tree], "", places);
  // A whole body is no place: without it every call would be the same.
  return places.includes("") ? undefined : places;
}

function collectPlaces(
  [a, b]: readonly [JsonTree | undefined, JsonTree | undefined],
  pointer: string,
  into: string[],
): void {
  if (into.length > PLACES || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)))
    return;
  const children = childrenOf(a, b);
  if (children === undefined) return void into.push(pointer);
  for (const [name, one, other] of children)
    collectPlaces([one, other], `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, into);
}

type Child = readonly [name: string, a: JsonTree | undefined, b: JsonTree | undefined];

/** What two values have in them, side by side; undefined where they are not of a kind that has the same places. */
function childrenOf(a: JsonTree | undefined, b: JsonTree | undefined): readonly Child[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isJsonArray(a) && isJsonArray(b))
    return a.length === b.length ? a.map((one, index) => [String(index), one, b[index]]) : undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (!isJsonObject(a) || !isJsonObject(b)) return undefined;
  const [before, after] = [new Map(a.members), new Map(b.members)];
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => [
    name,
    before.get(name),
    after.get(name),
  ]);
}
