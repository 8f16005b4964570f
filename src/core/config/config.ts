import type { SecretsPolicy } from "../call/secrets-policy.ts";
import type { NormaliseRule } from "../call/rule.ts";
import type { ContextLimits, PlannedFault, ScriptedReply } from "../call/mocks.ts";

/** The file's name; it lies beside the cassette folder. */
export const CONFIG_NAME = "tapedeck.jsonc";

/** What lenient mode answers where nothing is recorded. */
export type LenientAnswer =
  | {
      readonly script: readonly ScriptedReply[];
      /** The path of its file, relative to the project, where it has one. */
      readonly file?: string;
    }
  | { readonly reply: string }
  /** A made-up provider: `echo` says what the user said last; `kosong` reads that as a script of kosong's echo language. */
  | { readonly mock: MockName };

/** The mock providers that need no function and no state. */
export type MockName = "echo" | "kosong";

export const MOCKS: readonly MockName[] = ["echo", "kosong"];

/** The form of `allowSecrets` that names one value by its SHA-256; any other is a pattern. */
export const ALLOWED_HASH = /^sha256:([0-9a-f]{64})$/;

/** What identical calls of a test get: a take each, the first take, or the takes of their own trial of the test. */
export type Repeats = "takes" | "same" | "trials";

/** What of answers is recorded beyond what always is. */
export interface RecordRules {
  /** Answers with a status of 400 and above are recorded, too. Default false. */
  readonly errors?: boolean | undefined;
  /** Names of reply headers that are left out, `*` at their end for any. */
  readonly withoutHeaders?: readonly string[] | undefined;
}

/** What a project says in `tapedeck.jsonc`. What it does not say is left to options and settings. */
export interface ProjectConfig {
  readonly normalise: readonly NormaliseRule[];
  readonly repeats?: Repeats;
  readonly lenient?: LenientAnswer;
  /** What goes wrong on purpose in strict and lenient mode. */
  readonly faults?: readonly PlannedFault[];
  /** How much of a model's context calls may take in strict and lenient mode. */
  readonly context?: ContextLimits;
  /** What becomes of answers whose calls hold secrets. Where it is not said: "fail" in CI, else "drop". */
  readonly secrets?: SecretsPolicy;
  /** What of answers is recorded beyond what always is. */
  readonly record?: RecordRules;
  /** What looks like a secret and is none: patterns that are found in it, or `sha256:` and its hash. */
  readonly allowSecrets?: readonly string[];
  /** Hosts that tests may reach in a run that blocks the network: `host` or `host:port`, with `*` for one label. */
  readonly allowHosts?: readonly string[];
  /** Names of query parameters that are a credential, in lower case, by provider. */
  readonly credentials?: ReadonlyMap<string, readonly string[]>;
}

export const NO_CONFIG: ProjectConfig = { normalise: [] };
