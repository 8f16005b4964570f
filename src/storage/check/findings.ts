import { localize } from "../../core/base/localize.ts";
import type { TapedeckError } from "../../core/base/errors.ts";
import { withoutName } from "./finding-texts.ts";

/** What `check` looks for. An error makes it fail; a warning is named. */
export const RULES = {
  unreadable: {
    level: "error",
    meaning: localize("A recording that cannot be read, or whose name and content disagree"),
    hint: localize("Correct the file, or delete it and record the call again."),
  },
  config: {
    level: "error",
    meaning: localize("A tapedeck.jsonc that cannot be used"),
    hint: localize("Until it is corrected, every call is compared in full."),
  },
  misnamed: {
    level: "error",
    meaning: localize("A recording whose name is not its key under the rules of tapedeck.jsonc"),
    hint: localize("No call finds it under this name; tapedeck check --fix renames it."),
  },
  "same-by-rules": {
    level: "warning",
    meaning: localize("Recordings of different requests that the rules of tapedeck.jsonc make one call"),
    hint: localize("They are its takes now. Delete one of them, or make the rule narrower."),
  },
  "stray-file": {
    level: "error",
    meaning: localize("A file among the recordings that is none"),
    hint: localize("Move it elsewhere, or give it the name that it should have."),
  },
  "left-over": {
    level: "warning",
    meaning: localize("A temporary file of a process that ended while it was writing"),
    hint: localize("The next tapedeck run removes it."),
  },
  secret: {
    level: "error",
    meaning: localize("A key or token in a recording"),
    hint: localize(
      'Revoke it: it may have been seen. Then take it out of the prompt and record the call again. What is no secret is named in tapedeck.jsonc ("allowSecrets").',
    ),
  },
  "allowed-secret": {
    level: "warning",
    meaning: localize('A key or token in a recording of a project that says "secrets": "allow"'),
    hint: localize("Whoever can read the file can use it."),
  },
  "same-file": {
    level: "error",
    meaning: localize(
      "The last take of a call is a copy of the take before it, down to the moment it was made",
    ),
    hint: localize("Delete the copy."),
  },
  duplicate: {
    level: "warning",
    meaning: localize("The last take of a call has the same reply as the take before it"),
    hint: localize("You can delete this last take: the take before it is then replayed again."),
  },
  stale: {
    level: "warning",
    meaning: localize("A recording whose test is no longer there"),
    hint: localize("Delete it, if no other test uses it."),
  },
  unused: {
    level: "warning",
    meaning: localize("A recording that no call asked for when it could have"),
    hint: localize("tapedeck prune removes it."),
  },
  old: {
    level: "warning",
    meaning: localize("A recording made longer ago than was asked for"),
    hint: localize("Record it again: models and prompts change."),
  },
} as const satisfies Record<string, { level: "error" | "warning"; meaning: string; hint: string }>;

export type RuleId = keyof typeof RULES;

/** One thing that is not as it should be, and where. */
export interface CheckFinding {
  readonly rule: RuleId;
  /** Path relative to the cassette folder, "/" between segments. */
  readonly entry: string;
  /** 1-based; 1:1 where the file as a whole is meant. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A finding about a file as a whole. */
export function whole(rule: RuleId, entry: string, message: string): CheckFinding {
  return { rule, entry, line: 1, column: 1, message };
}

export const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

export const isError = ({ rule }: CheckFinding): boolean => RULES[rule].level === "error";

/** By file, then by position. */
export function byPlace(a: CheckFinding, b: CheckFinding): number {
  if (a.entry !== b.entry) return a.entry < b.entry ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Removes the position from a message, because a finding has it as a separate member. */
export function unreadable(entry: string, { message, position }: TapedeckError): CheckFinding {
  const reason = withoutName(message);
  const { line = 1, column = 1 } = position ?? {};
  return { rule: "unreadable", entry, line, column, message: capital(reason) };
}
