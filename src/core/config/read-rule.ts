import { elementsOf, fault, membersOf, stringAt, type Place } from "../cassette/file-reader.ts";
import { isTapedeckError } from "../errors.ts";
import { NAMED_PATTERNS } from "../match/rules/patterns.ts";
import { readPointerPattern } from "../match/rules/pointer-pattern.ts";
import type { NormaliseRule } from "../match/rules/rule.ts";

/** Throws TapedeckError for a pattern that is none. */
export type CheckPattern = (source: string) => void;

const SCOPE = ["provider", "operation"];
const OF_IGNORE = ["ignore", ...SCOPE];
const OF_REPLACE = ["replace", "with", "at", ...SCOPE];

/** One rule of `normalise`. @throws JsonFault where it is none. */
export function readRule(place: Place, checkPattern: CheckPattern): NormaliseRule {
  const members = membersOf(place);
  const ignore = members.get("ignore");
  const replace = members.get("replace");
  if (ignore && !replace) {
    expectKnown(members, OF_IGNORE);
    const scope = scopeIn(members);
    return { ignore: pointerAt(ignore), ...scope };
  }
  if (!replace || ignore) throw fault(place, 'must have either "ignore" or "replace"');
  expectKnown(members, OF_REPLACE);
  const scope = scopeIn(members);
  const at = members.get("at");
  const by = members.get("with");
  const source = patternAt(replace, checkPattern);
  if (by === undefined && NAMED_PATTERNS[source] === undefined)
    throw fault(place, 'has no "with", the text that stands in the place of what is found');
  return {
    replace: source,
    ...(by && { with: stringAt(by) }),
    ...(at && { at: pointerAt(at) }),
    ...scope,
  };
}

type Members = ReturnType<typeof membersOf>;

function expectKnown(members: Members, known: readonly string[]): void {
  for (const [name, member] of members)
    if (!known.includes(name))
      throw fault(member, `is nothing that such a rule has; it has ${known.join(", ")}`);
}

function scopeIn(members: Members): Pick<NormaliseRule, "provider" | "operation"> {
  const provider = members.get("provider");
  const operation = members.get("operation");
  return {
    ...(provider && { provider: namesAt(provider) }),
    ...(operation && { operation: namesAt(operation) }),
  };
}

function pointerAt(place: Place): string {
  const pointer = stringAt(place);
  if (readPointerPattern(pointer) === undefined)
    throw fault(place, 'must be a JSON pointer such as "/messages/0/content" or "/tools/*/description"');
  return pointer;
}

/** @throws JsonFault where the text at a place is no pattern. */
export function patternAt(place: Place, checkPattern: CheckPattern): string {
  const source = stringAt(place);
  try {
    checkPattern(source);
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    throw fault(place, `cannot be used: ${error.message} ${error.hint}`.replace(/\.$/, ""));
  }
  return source;
}

/** A text, or a list of them. */
function namesAt(place: Place): readonly string[] {
  return place.node.type === "array" ? elementsOf(place).map(stringAt) : [stringAt(place)];
}
