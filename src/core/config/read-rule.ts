import { localize, joinSentences } from "../base/localize.ts";
import { isCredentialHeader } from "../cassette/recorded-request.ts";
import {
  readElements,
  createFileFault,
  expectKnown,
  readMembers,
  readOptional,
  readString,
  type FilePlace,
} from "../cassette/file-reader.ts";
import { isJsonArray } from "../base/json/json-tree.ts";
import { isTapedeckError } from "../base/errors.ts";
import { NAMED_PATTERNS } from "../match/rules/named-patterns.ts";
import { readPointerPattern } from "../match/rules/rules.ts";
import type { NormalizeRule } from "../call/rule.ts";

/** Throws TapedeckError for a pattern that is none. */
export type CheckPattern = (source: string) => void;

const SCOPE = ["provider", "operation"];
const OF_REPLACE = ["replace", "with", "at", ...SCOPE];
const KINDS = ["ignore", "replace", "header", "ignoreHeader"] as const;

/** One rule of `normalize`. @throws JsonFault where it is none. */
export function readRule(place: FilePlace, checkPattern: CheckPattern): NormalizeRule {
  const members = readMembers(place);
  const [kind, another] = KINDS.filter((name) => members.has(name));
  const value = kind && members.get(kind);
  if (kind === undefined || value === undefined || another !== undefined)
    throw createFileFault(
      place,
      localize('must have one of "ignore", "replace", "header", and "ignoreHeader"'),
    );
  expectKnown(members, kind === "replace" ? OF_REPLACE : [kind, ...SCOPE]);
  if (kind === "ignore") return { ignore: pointerAt(value), ...scopeIn(members) };
  if (kind === "header") return { header: countedAt(value), ...scopeIn(members) };
  if (kind === "ignoreHeader") return { ignoreHeader: headerAt(value), ...scopeIn(members) };
  return replaceRule(value, place, checkPattern);
}

type Members = ReturnType<typeof readMembers>;

function replaceRule(replace: FilePlace, rule: FilePlace, checkPattern: CheckPattern): NormalizeRule {
  const members = readMembers(rule);
  const source = readPattern(replace, checkPattern);
  if (!members.has("with") && NAMED_PATTERNS[source] === undefined)
    throw createFileFault(rule, localize('has no "with", the replacement text'));
  return {
    replace: source,
    ...readOptional(members, { with: readString, at: pointerAt, provider: namesAt, operation: namesAt }),
  };
}

function scopeIn(members: Members): Pick<NormalizeRule, "provider" | "operation"> {
  return readOptional(members, { provider: namesAt, operation: namesAt });
}

/** A header's value is written into recordings: of one that carries a credential it must not be. */
function headerAt(place: FilePlace): string {
  const name = readString(place).toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    throw createFileFault(place, localize("is not a valid header name"));
  if (isCredentialHeader(name))
    throw createFileFault(place, localize("carries a credential, which is never part of a key"));
  if (/^(?:host|x-tapedeck-.*)$/.test(name)) throw createFileFault(place, localize("is never part of a key"));
  return name;
}

/** What JSON and forms are called takes no part anywhere: boundaries and charsets would. */
function countedAt(place: FilePlace): string {
  const name = headerAt(place);
  if (name === "content-type")
    throw createFileFault(place, localize("is already part of the key where it matters"));
  return name;
}

function pointerAt(place: FilePlace): string {
  const pointer = readString(place);
  if (readPointerPattern(pointer) === undefined)
    throw createFileFault(
      place,
      localize('must be a JSON pointer such as "/messages/0/content" or "/tools/*/description"'),
    );
  return pointer;
}

/** @throws JsonFault where the text at a place is no pattern. */
export function readPattern(place: FilePlace, checkPattern: CheckPattern): string {
  const source = readString(place);
  try {
    checkPattern(source);
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    throw createFileFault(
      place,
      localize("cannot be used: {0}", joinSentences(error.message, error.hint).replace(/[.。]$/, "")),
    );
  }
  return source;
}

/** A text, or a list of them. */
function namesAt(place: FilePlace): readonly string[] {
  return isJsonArray(place.tree) ? readElements(place).map(readString) : [readString(place)];
}
