import type { NormaliseRule } from "../match/rules/rule.ts";
import type { SecretsPolicy } from "../secrets/policy.ts";
import type { ScriptedReply } from "../source/script.ts";

/** The file's name; it lies beside the cassette folder. */
export const CONFIG_NAME = "tapedeck.jsonc";

/** What lenient mode answers where nothing is recorded. */
export type LenientAnswer =
  | { readonly script: readonly ScriptedReply[] }
  | { readonly reply: string }
  /** A made-up provider: `echo` says what the user said last. */
  | { readonly mock: MockName };

/** The mock providers that need no function and no state. */
export type MockName = "echo";

export const MOCKS: readonly MockName[] = ["echo"];

/** What a project says in `tapedeck.jsonc`. What it does not say is left to options and settings. */
export interface ProjectConfig {
  readonly normalise: readonly NormaliseRule[];
  readonly repeats?: "takes" | "same";
  readonly lenient?: LenientAnswer;
  /** What becomes of answers whose calls hold secrets. Where it is not said: "fail" in CI, else "drop". */
  readonly secrets?: SecretsPolicy;
  /** What looks like a secret and is none: patterns that are found in it, or `sha256:` and its hash. */
  readonly allowSecrets?: readonly string[];
}

export const NO_CONFIG: ProjectConfig = { normalise: [] };
