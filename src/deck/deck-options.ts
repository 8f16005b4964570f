import type { PaidCall } from "../core/budget/budget.ts";
import type { Limits } from "../core/budget/limits.ts";
import type { ContextLimits, PlannedFault, ScriptedReply } from "../core/config/mocks.ts";
import type { TapedeckError } from "../core/errors.ts";
import type { OwnUpstreams } from "../core/protocol/own-upstreams.ts";
import type { NamedStore } from "../storage/keys/named-by-rules.ts";
import type { RemoteSettings } from "../team/settings.ts";
import type { RemoteToRead } from "./team.ts";
import type { OwnPrices } from "../core/budget/own-prices.ts";

/** How a deck is set up. Everything but the folder has a default. */
export interface DeckOptions {
  /** The cassette folder, absolute. It need not exist: the first recording creates it. */
  readonly dir: string;
  /** Addresses by provider, over the built-in ones: https, or http to a loopback address. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Addresses that the user's own environment names; `upstreams` stand before them. */
  readonly ownUpstreams?: OwnUpstreams;
  /** "recorded" plays streams back at the pace at which they came. Default "none". */
  readonly timing?: "none" | "recorded";
  /** What lenient mode answers where nothing is recorded. */
  readonly defaultReply?: string;
  /** What lenient mode answers instead, call by call; it runs dry with an error. */
  readonly script?: readonly ScriptedReply[];
  /** What goes wrong on purpose in strict and lenient mode. Default: what `tapedeck.jsonc` says, else nothing. */
  readonly faults?: readonly PlannedFault[];
  /** How much of a model's context calls may take in strict and lenient mode. Default: what `tapedeck.jsonc` says, else no limit. */
  readonly context?: ContextLimits;
  /** "same" answers every identical call with the first take. Default: what `tapedeck.jsonc` says, else "takes". */
  readonly repeats?: "takes" | "same";
  /** Whether answers with a status of 400 and above are recorded. Default: what `tapedeck.jsonc` says, else false. */
  readonly recordErrors?: boolean;
  /** False leaves `tapedeck.jsonc` beside the folder alone; a function is asked before every look. Default true. */
  readonly project?: boolean | (() => boolean);
  /** How much each run may spend; a function is asked at every call. Default: no limit. */
  readonly limits?: Limits | (() => Limits);
  /** Prices of the user's own, by model, before the built-in ones. */
  readonly prices?: OwnPrices | (() => OwnPrices);
  /**
   * Asked before each call to another machine; a failure that it gives back is what the client gets.
   * Default: `refusePaidInCi`.
   */
  readonly beforePaidCall?: (call: PaidCall) => Promise<TapedeckError | undefined>;
  /** The variables that say whether this is CI, where a secret fails the run. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Recordings elsewhere than in files, e.g. in memory. */
  readonly store?: NamedStore;
  /** A cache that a team shares. It is the user's to name, never the project's. Default: none. */
  readonly remote?: RemoteSettings | RemoteToRead | undefined;
  /** False leaves out what came from a team. Default true. */
  readonly team?: boolean;
  /** The program of the thread that works on large bodies. Default: the one that lies beside this bundle. */
  readonly asideProgram?: string;
}
