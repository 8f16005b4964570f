import type { WatchedStore } from "../core/cassette/store.ts";
import type { PaidCall } from "../core/answer/budget/budget.ts";
import type { Connect } from "../core/answer/source/source.ts";
import type { Limits } from "../core/answer/budget/limits.ts";
import type { TapedeckError } from "../core/base/errors.ts";
import type { FetchMissing } from "../core/answer/source/modes.ts";
import type { OwnUpstreams } from "../core/protocol/own-upstreams.ts";
import type { ProjectOverrides } from "../storage/local/project-file.ts";
import type { RemoteSettings } from "../team/settings.ts";
import type { RemoteToRead } from "./team.ts";
import type { OwnPrices } from "../core/view/prices/own-prices.ts";

/** How a deck is set up. Everything but the folder has a default. */
export interface DeckOptions extends ProjectOverrides {
  /** The cassette folder, absolute. It need not exist: the first recording creates it. */
  readonly dir: string;
  /** Addresses by provider, over the built-in ones: https, or http to a loopback address. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Addresses that the user's own environment names; `upstreams` stand before them. */
  readonly ownUpstreams?: OwnUpstreams;
  /** "recorded" plays streams back at the pace at which they came. Default "none". */
  readonly timing?: "none" | "recorded";
  /** How much each run may spend; a function is asked at every call. Default: no limit. */
  readonly limits?: Limits | (() => Limits);
  /**
   * Whether a call with an id of a replayed reply is sent as it is, and the id's chain is recorded again only if the provider does
   * not know the id. Default false.
   */
  readonly keepChain?: boolean;
  /** Prices of the user's own, by model, before the built-in ones. */
  readonly prices?: OwnPrices | (() => OwnPrices);
  /**
   * Asked before each call to another machine; a failure that it gives back is what the client gets.
   * Default: `refusePaidInCi`.
   */
  readonly beforePaidCall?: (call: PaidCall) => Promise<TapedeckError | undefined>;
  /** Environment variables that show whether this is CI. In CI a secret fails the run. Default: this process's variables. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Recordings elsewhere than in files, e.g. in memory. */
  readonly store?: WatchedStore;
  /** Downloads recordings for a `store` of the caller. Default: what `remote` does. */
  readonly fetchMissing?: FetchMissing | undefined;
  /** Answers the calls to an address without the network. */
  readonly inProcess?: { readonly address: string; readonly connect: Connect };
  /** A cache that a team shares. The user names it, never the project. Default: none. */
  readonly remote?: RemoteSettings | RemoteToRead | undefined;
  /** False leaves recordings of a team out. Default true. */
  readonly team?: boolean;
}
