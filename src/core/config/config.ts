import type { SecretsPolicy } from "../call/secrets-policy.ts";
import type { NormalizeRule } from "../call/rule.ts";
import type { PlannedFault, ScriptedReply } from "../call/mocks.ts";

/** The name of the project's file, which is beside the cassette folder. */
export const CONFIG_NAME = "tapedeck.jsonc";

/** The answer of lenient mode to calls that are not recorded. */
export type LenientAnswer =
  | {
      readonly script: readonly ScriptedReply[];
      /** The path of its file, relative to the project. */
      readonly file?: string;
    }
  | { readonly reply: string }
  /** A mock provider: `echo` repeats the last user message; `kosong` reads that as a script in kosong's echo language. */
  | { readonly mock: MockName };

/** The mock providers that need no function and no state. */
export type MockName = "echo" | "kosong";

export const MOCKS: readonly MockName[] = ["echo", "kosong"];

/** The form of `allowSecrets` that names one value by its SHA-256; any other is a pattern. */
export const ALLOWED_HASH = /^sha256:([0-9a-f]{64})$/;

/** The takes for identical calls of a test: one each, always the first, or those of their own trial of the test. */
export type Repeats = "takes" | "same" | "trials";

/**
 * How values that the test's own machine made up are matched: by origin, with the values of this run in replies ("all"); by
 * origin, with replies as they were recorded ("requests"); or as they are ("off").
 */
export type OriginMatching = "all" | "requests" | "off";

/** What test processes get the same in every run: `clock=` and a moment in ISO 8601, or the name of a source of chance. */
export type FrozenSource = "clock" | `clock=${string}` | "random" | "uuid";

/** Which answers are recorded, and without which headers. */
export interface RecordRules {
  /** Answers with a status of 400 and above are recorded, too. Default false. */
  readonly errors?: boolean | undefined;
  /** Names of reply headers that are not recorded; `*` at the end matches any suffix. */
  readonly withoutHeaders?: readonly string[] | undefined;
  /** Hosts of no provider that are recorded as plain HTTP, such as those of MCP servers. */
  readonly hosts?: readonly string[] | undefined;
}

/** The content of `tapedeck.jsonc`. Options and settings apply to members that are absent. */
export interface ProjectConfig {
  readonly normalize: readonly NormalizeRule[];
  readonly repeats?: Repeats;
  readonly origins?: OriginMatching;
  readonly freeze?: readonly FrozenSource[];
  readonly lenient?: LenientAnswer;
  /** Faults to inject in strict and lenient mode. */
  readonly faults?: readonly PlannedFault[];
  /** The policy for answers whose calls contain secrets. Default: "fail" in CI, "drop" elsewhere. */
  readonly secrets?: SecretsPolicy;
  /** Which answers are recorded, and without which headers. */
  readonly record?: RecordRules;
  /** Values that look like secrets and are none: patterns, or `sha256:` and the hash of a value. */
  readonly allowSecrets?: readonly string[];
  /** Hosts that tests may reach in a run that blocks the network: `host` or `host:port`, with `*` for one label. */
  readonly allowHosts?: readonly string[];
  /** Names of query parameters that are a credential, in lower case, by provider. */
  readonly credentials?: ReadonlyMap<string, readonly string[]>;
}

export const NO_CONFIG: ProjectConfig = { normalize: [] };
