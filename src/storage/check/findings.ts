import { compareTexts } from "../../core/base/compare.ts";
import { localize } from "../../core/base/localize.ts";
import type { TapedeckError } from "../../core/base/errors.ts";

/** The rules of `tapedeck check`. An error makes the command fail; a warning is only listed. */
export const RULES = {
  unreadable: {
    level: "error",
    meaning: () => localize("A recording that cannot be read, or whose name does not match its content"),
    hint: () => localize("Correct the file, or delete it and record the call again."),
  },
  config: {
    level: "error",
    meaning: () => localize("An invalid tapedeck.jsonc"),
    hint: () => localize("Until it is corrected, every call is compared in full."),
  },
  misnamed: {
    level: "error",
    meaning: () =>
      localize("A recording whose name does not match its key under the rules of tapedeck.jsonc"),
    hint: () => localize("No call finds it under this name. Rename it with tapedeck check --fix."),
  },
  edited: {
    level: "error",
    meaning: () => localize("A recording whose request was edited into that of another recording"),
    hint: () => localize("No call finds it under this name. Undo the edit, or delete the file."),
  },
  "same-by-rules": {
    level: "error",
    meaning: () =>
      localize("Recordings of different requests that the rules of tapedeck.jsonc treat as the same call"),
    hint: () =>
      localize(
        "No call finds it under this name. Delete one of them and run tapedeck check --fix, or make the rule narrower.",
      ),
  },
  "stray-file": {
    level: "error",
    meaning: () => localize("A file among the recordings that is not a recording"),
    hint: () => localize("Move it elsewhere, or correct its name."),
  },
  "left-over": {
    level: "warning",
    meaning: () => localize("A temporary file that no process wrote to for a day"),
    hint: () => localize("The next tapedeck run deletes it."),
  },
  secret: {
    level: "error",
    meaning: () => localize("A key or token in a recording"),
    hint: () =>
      localize(
        'Revoke it, remove it from the prompt, and record the call again. If it is not a secret, add it to "allowSecrets" in tapedeck.jsonc.',
      ),
  },
  "allowed-secret": {
    level: "warning",
    meaning: () => localize('A key or token in a recording of a project with "secrets": "allow"'),
    hint: () => localize("Anyone who can read the file can use it."),
  },
  "same-file": {
    level: "error",
    meaning: () => localize("The last take of a call is an identical copy of the take before it"),
    hint: () => localize("Delete the copy."),
  },
  duplicate: {
    level: "warning",
    meaning: () => localize("The last take of a call has the same response as the take before it"),
    hint: () => localize("You can delete it: the take before it is then replayed again."),
  },
  stale: {
    level: "warning",
    meaning: () => localize("A recording whose test no longer exists"),
    hint: () => localize("Delete it if no other test uses it."),
  },
  unused: {
    level: "warning",
    meaning: () => localize("A recording that complete runs did not use"),
    hint: () => localize("Delete it with tapedeck prune."),
  },
} as const satisfies Record<
  string,
  { level: "error" | "warning"; meaning: () => string; hint: () => string }
>;

export type RuleId = keyof typeof RULES;

/** A problem that `tapedeck check` found, with its position. */
export interface CheckFinding {
  readonly rule: RuleId;
  /** Path relative to the cassette folder, "/" between segments. */
  readonly entry: string;
  /** 1-based; 1:1 if the finding applies to the whole file. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Returns a finding that applies to a whole file. */
export function createFileFinding(rule: RuleId, entry: string, message: string): CheckFinding {
  return { rule, entry, line: 1, column: 1, message };
}

export const capitalizeSentence = (sentence: string): string =>
  sentence.charAt(0).toUpperCase() + sentence.slice(1);

export const isError = ({ rule }: CheckFinding): boolean => RULES[rule].level === "error";

/** Sorts findings by file, then by position. */
export function byPlace(a: CheckFinding, b: CheckFinding): number {
  return compareTexts(a.entry, b.entry) || a.line - b.line || a.column - b.column;
}

/**
 * Returns the finding for a file that cannot be read. Uses the error's reason where there is one, because the full
 * message repeats the file and position.
 */
export function createUnreadableFinding(
  entry: string,
  { message, position, reason = message }: TapedeckError,
): CheckFinding {
  const { line = 1, column = 1 } = position ?? {};
  return { rule: "unreadable", entry, line, column, message: capitalizeSentence(reason) };
}
