import { PLACEHOLDER_KEY } from "../../../core/protocol/providers.ts";
import { loadPeer } from "../../../client/check-options.ts";
import { readEnvironmentVariables } from "../../../client/environment.ts";

export interface Connection {
  /** The engine's fetch: `deck.fetch(run)`. Without it, calls go to the provider and are not recorded. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the provider's own environment variable. Strict and lenient runs need none. */
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further options for the SDK's client. */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
}

/** Returns a function that gives the user's client, or makes one of the SDK, which it loads with the first call. */
export function loadOnce<Module, Sdk>(
  client: Sdk | undefined,
  load: () => Promise<Module>,
  make: (module: Module) => Sdk,
): () => Promise<Sdk> {
  let loading: Promise<Sdk> | undefined;
  return async () => client ?? (loading ??= loadPeer(load).then(make));
}

/**
 * Returns the given key, or the value of the first variable that is set. The default is Tapedeck's placeholder, because
 * SDKs require a key even if no call is sent.
 */
export function findKey(connection: Connection, ...variables: readonly string[]): string {
  const found = variables
    .map((name) => readEnvironmentVariables()[name])
    .find((value) => value !== undefined && value !== "");
  return connection.apiKey ?? found ?? PLACEHOLDER_KEY;
}
