import type { RuleProposal } from "../../call.ts";
import { type JsonTree, isJsonArray, isJsonObject, pointerTo } from "../../json/json-tree.ts";
import { canonicalJson } from "../key/canonical-json.ts";
import type { KeyedRequest } from "../key/canonical.ts";
import { collidingPairs, type Said } from "./colliding-pairs.ts";
import { NAMED_PATTERNS, type CompilePattern } from "./patterns.ts";
import { normalised, type RuledRecording } from "./ruled-request.ts";
import type { NormaliseRule } from "./rule.ts";
import { compileRules } from "./rules.ts";

export interface ProposalParts {
  readonly compile: CompilePattern;
  /**
   * Recorded requests that the rule could make one with these, or with one another. Asked for a rule that would do.
   * Undefined where nobody can say: such a rule is not proposed.
   */
  readonly others: (rule: NormaliseRule) => Promise<readonly RuledRecording[] | undefined>;
}

/**
 * The smallest rule under which two requests, which have different keys, would have the same one: a named pattern at
 * the one place where they differ, else wherever it is found, else the place left out. Undefined where one rule does
 * not do it. Refused, with the names of both, where it would also make one of two recordings of different requests.
 */
export async function proposeRule(
  recorded: KeyedRequest,
  asked: KeyedRequest,
  { compile, others }: ProposalParts,
): Promise<RuleProposal | undefined> {
  const places = differingPlaces(recorded, asked);
  if (places === undefined || places.length === 0) return undefined;
  let refused: RuleProposal | undefined;
  for (const rule of rulesFor(places)) {
    const scoped = { ...rule, provider: [asked.provider], operation: [asked.operation] };
    const textOf = textUnder(scoped, compile);
    if (textOf(recorded) !== textOf(asked)) continue;
    const recordings = await others(scoped);
    if (recordings === undefined) continue;
    const collision = collisionAmong(recordings, textOf);
    if (collision === undefined) return { rule: scoped };
    refused ??= { rule: scoped, collision };
  }
  return refused;
}

/** Two recordings whose requests differ now and would not under a rule, if there are any. */
function collisionAmong(
  recordings: readonly RuledRecording[],
  textOf: (request: KeyedRequest) => string,
): readonly [string, string] | undefined {
  const saidBy = ({ request }: RuledRecording): Said<string> => ({
    now: textNow(request),
    after: textOf(request),
  });
  const [pair] = collidingPairs(recordings, saidBy);
  return pair && [pair[0].entry, pair[1].entry];
}

/** What tells requests apart under one more rule; for comparing only. */
export function textUnder(
  rule: NormaliseRule | undefined,
  compile: CompilePattern,
): (request: KeyedRequest) => string {
  const normalise = compileRules(rule === undefined ? [] : [rule], compile);
  return (request) => textNow(normalised(request, normalise));
}

/** Most rules leave most requests as they are, so that the same trees come again and again. */
const canonical = new WeakMap<object, string>();

function textNow({ provider, operation, method, path, body }: KeyedRequest): string {
  const text = body.kind === "json" ? canonicalOnce(body.tree) : body.kind;
  return JSON.stringify([provider, operation, method, path]) + text;
}

function canonicalOnce(tree: JsonTree): string {
  if (typeof tree !== "object" || tree === null) return canonicalJson(tree);
  const text = canonical.get(tree) ?? canonicalJson(tree);
  canonical.set(tree, text);
  return text;
}

function* rulesFor(places: readonly string[]): Generator<NormaliseRule> {
  const [only, another] = places;
  if (only !== undefined && another === undefined)
    for (const replace of Object.keys(NAMED_PATTERNS)) yield { replace, at: only };
  for (const replace of Object.keys(NAMED_PATTERNS)) yield { replace };
  if (only !== undefined && another === undefined) yield { ignore: only };
}

/** So many places may differ before it is no use to name them. */
const MOST = 64;

/** JSON pointers, in wire order; undefined where more than the JSON body differs, or more places than are of use. */
function differingPlaces(a: KeyedRequest, b: KeyedRequest): readonly string[] | undefined {
  if (a.method !== b.method || a.path !== b.path) return undefined;
  if (a.body.kind !== "json" || b.body.kind !== "json") return undefined;
  const places: string[] = [];
  collectPlaces([a.body.tree, b.body.tree], "", places);
  // A whole body is no place: without it every call would be the same.
  return places.includes("") || places.length > MOST ? undefined : places;
}

function collectPlaces(
  [a, b]: readonly [JsonTree | undefined, JsonTree | undefined],
  pointer: string,
  into: string[],
): void {
  if (into.length > MOST || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)))
    return;
  const children = childrenOf(a, b);
  if (children === undefined) return void into.push(pointer);
  for (const [name, one, other] of children) collectPlaces([one, other], pointerTo(pointer, name), into);
}

type Child = readonly [name: string, a: JsonTree | undefined, b: JsonTree | undefined];

/** What two values have in them, side by side; undefined where they are not of a kind that has the same places. */
function childrenOf(a: JsonTree | undefined, b: JsonTree | undefined): readonly Child[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isJsonArray(a) && isJsonArray(b))
    return a.length === b.length ? a.map((one, index) => [String(index), one, b[index]]) : undefined;
  if (!isJsonObject(a) || !isJsonObject(b)) return undefined;
  const [before, after] = [new Map(a.members), new Map(b.members)];
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => [
    name,
    before.get(name),
    after.get(name),
  ]);
}
